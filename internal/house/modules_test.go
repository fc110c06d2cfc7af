package house_test

import (
	"os"
	"regexp"
	"testing"
)

var (
	required = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`) // indirect ones have a comment
	listed   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
)

// Every direct dependency says what it saves us.
func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
	mods, docs := find(t, root+"/go.mod", required), find(t, root+"/docs/dependencies.md", listed)
	for m := range mods {
		if !docs[m] {
			t.Errorf("docs/dependencies.md does not say what %s saves us", m)
		}
	}
	for m := range docs {
		if !mods[m] {
			t.Errorf("docs/dependencies.md lists %s, which go.mod does not require", m)
		}
	}
}

func find(t *testing.T, path string, re *regexp.Regexp) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range re.FindAllSubmatch(b, -1) {
		all[string(m[1])] = true
	}
	return all
}
