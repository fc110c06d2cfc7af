package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// largest is more than any source of ours needs, and less than any program.
const largest = 256 << 10

// TestOnlySourcesAreTracked: a program that was built beside the sources is not
// to be committed with them.
func TestOnlySourcesAreTracked(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t) {
		info, err := os.Lstat(filepath.Join(root, name))
		if err == nil && info.Size() > largest {
			t.Errorf("%s has %d bytes: sources are smaller", name, info.Size())
		}
	}
}

// TestNoConflictIsTracked: no compiler sees what a merge left in a script or a
// page.
func TestNoConflictIsTracked(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t) {
		text, _ := os.ReadFile(filepath.Join(root, name)) // removed, or a link to a directory: nothing
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				t.Errorf("%s:%d: a conflict is left: %.40s", name, i+1, line)
			}
		}
	}
}

func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("no git repository here: %v", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
}
