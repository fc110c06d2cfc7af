package git_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// git dies where a worktree goes between its look at the names and its look at
// each (found by chaos, seeds 770082 and 377255). It is asked again.
func TestAWorktreeGoesWhileGitLists(t *testing.T) {
	r, _ := newRepo(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, said := range []string{
		"fatal: Invalid path '" + r.CommonDir + "/worktrees/gone': No such file or directory",
		"fatal: failed to read .git/worktrees/gone/commondir: Success",
	} {
		once := filepath.Join(t.TempDir(), "once")
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *\"worktree list\"*) mkdir %q 2>/dev/null && {\n"+
			"\techo %q >&2; exit 128; } ;;\nesac\nexec %q \"$@\"\n", once, said, real)
		syscall.ForkLock.RLock() // a child forked meanwhile would keep it from being started
		err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
		if all, err := r.Worktrees(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v", said, all, err)
		}
		if _, err := os.Stat(once); err != nil {
			t.Error("git did not die")
		}
	}
}
