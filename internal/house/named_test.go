package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	numbered = regexp.MustCompile(`(?m)^\| ([CW][0-9]+) \|`)
	named    = regexp.MustCompile(`(?m)^func Test([CW][0-9]+)_`)
)

// TestEveryCaseHasItsTest: docs/requirements.md promises a test of its name for
// each case of what agents do (C) and what the wire may bring (W).
func TestEveryCaseHasItsTest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "requirements.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for path, text := range testSources(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
			if !strings.Contains(string(page), "| "+m[1]+" |") {
				t.Errorf("%s tests %s, which docs/requirements.md does not have", path, m[1])
			}
		}
	}
	cases := numbered.FindAllStringSubmatch(string(page), -1)
	if len(cases) < 40 {
		t.Errorf("docs/requirements.md has only %d cases", len(cases))
	}
	for _, m := range cases {
		if !tests[m[1]] {
			t.Errorf("%s has no test named Test%s_", m[1], m[1])
		}
	}
}

func testSources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range []string{"acp", "run", filepath.Join("internal", "e2e")} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all[f] = string(b)
		}
	}
	return all
}
