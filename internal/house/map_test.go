package house_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A newcomer reads the map of docs/architecture.md: it has every package of
// mayImport, each of which there is, with the same imports.
func TestMapSaysWhatMayBeImported(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for line := range strings.SplitSeq(string(page), "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| ") {
			name := strings.Trim(strings.TrimPrefix(cells[0], "| root"), "| `")
			said[own(name)] = strings.Fields(strings.Trim(cells[2], " |"))
		}
	}
	for dir, may := range mayImport {
		if dir == "internal/runcmd" || strings.HasPrefix(dir, "cmd/") { // all of the runner's; wiring
			continue
		}
		if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
			t.Errorf("internal/house names a package that is none: %v", err)
		}
		var has []string
		for _, word := range said[dir] {
			if _, ours := mayImport[own(word)]; ours {
				has = append(has, own(word))
			}
		}
		slices.Sort(has)
		if said[dir] == nil || !slices.Equal(has, slices.Sorted(slices.Values(may))) {
			t.Errorf("the map says that %s may import %q, internal/house that it may import %q", dir, said[dir], may)
		}
	}
}

// own is a package as the table of imports has it.
func own(name string) string {
	if name == "blaise" {
		return "."
	}
	return name
}
