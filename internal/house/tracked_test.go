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
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("no git repository here: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if err == nil && info.Size() > largest {
			t.Errorf("%s has %d bytes: sources are smaller", name, info.Size())
		}
	}
}
