package onedoc_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/internal/onedoc"
)

// What a reader of one document would have dropped is said.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"one":                  {"a: 1\n", ""},
		"one with its marks":   {"---\na: 1\n...\n", ""},
		"one in JSON":          {`{"a": "x\n---\ny"}`, ""},
		"none":                 {"# only words\n", ""},
		"two":                  {"a: 1\n---\nb: 2\n", "a second document begins in line 2"},
		"two, the second open": {"a: 1\n---\ngarbage: [\n", "this is not YAML: line"},
		"no YAML":              {"a: [\n", "this is not YAML: line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := onedoc.Check([]byte(c.in)); err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
