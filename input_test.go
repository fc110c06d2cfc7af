package blaise_test

import (
	"maps"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

var inputs = blaise.Inputs{
	"base":  {Default: "main", Description: "where to begin"},
	"issue": {Type: "number", Required: true, Description: "which one"},
	"mode":  {Enum: []string{"fast", "slow"}},
	"title": {Pattern: `[^\n]*`},
	"dry":   {Type: "boolean", Default: "false"},
}

// An agent's inputs are filled with what was set, else with their defaults.
func TestInputsFill(t *testing.T) {
	t.Parallel()
	got, err := inputs.Fill(map[string]string{"issue": "7", "title": `"$(x)" & more`})
	want := map[string]string{"base": "main", "issue": "7", "mode": "", "title": `"$(x)" & more`, "dry": "false"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, want %v (%v)", got, want, err)
	}
	if got, err := (blaise.Inputs{}).Fill(nil); err != nil || got != nil {
		t.Errorf("an agent without inputs: got %v, %v", got, err)
	}
}

// What an input may not be is refused, and the error says what it may be.
func TestInputsFillRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, value, want string }{
		{"nothing", "x", "no input"},
		{"issue", "seven", "it takes NUMBER"},
		{"mode", "medium", "it takes fast|slow"},
		{"dry", "yes", "it takes true|false"},
		{"title", "two\nlines", "does not match"},
		{"base", "main; rm -rf /", "could misread"},
		{"base", "$(id)", "could misread"},
		{"base", "--upload-pack=x", "could misread"},
		{"base", "../../etc", "could misread"},
		{"base", "a\nb", "could misread"},
		{"title", strings.Repeat("x", 5000), "more than"},
	} {
		_, err := inputs.Fill(map[string]string{"issue": "7", c.name: c.value})
		if blaise.CodeOf(err) != blaise.CodeInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%.20q: got %v, want %q", c.name, c.value, err, c.want)
		}
	}
	if _, err := inputs.Fill(nil); err == nil || !strings.Contains(err.Error(), "--set issue=NUMBER") {
		t.Errorf("a needed one left out: got %v", err)
	}
	if _, err := (blaise.Inputs{}).Fill(map[string]string{"x": "1"}); err == nil {
		t.Error("an agent without inputs took one")
	}
}

// A declaration that no session could satisfy, or means nothing, is refused.
func TestInputsCheck(t *testing.T) {
	t.Parallel()
	if err := inputs.Check(); err != nil {
		t.Error(err)
	}
	for want, in := range map[string]blaise.Inputs{
		"is not a name":        {"a b": {}},
		"is none of":           {"a": {Type: "list"}},
		"missing closing":      {"a": {Pattern: "("}},
		"inputs.a.default":     {"a": {Enum: []string{"x"}, Default: "y"}},
		"does not match [0-9]": {"a": {Pattern: "[0-9]", Default: "12"}},
	} {
		if err := in.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
