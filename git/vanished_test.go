package git_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// git dies where a worktree goes between its look at the names and its look at
// each (found by chaos, seed 770082). It is asked again.
func TestAWorktreeGoesWhileGitLists(t *testing.T) {
	r, _ := newRepo(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, once := t.TempDir(), filepath.Join(t.TempDir(), "once")
	script := fmt.Sprintf(`#!/bin/sh
case "$*" in *"worktree list"*) mkdir %[1]q 2>/dev/null && {
	echo "fatal: Invalid path '%[2]s/worktrees/gone': No such file or directory" >&2; exit 128; } ;;
esac
exec %[3]q "$@"
`, once, r.CommonDir, real)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	all, err := r.Worktrees(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if _, err := os.Stat(once); err != nil {
		t.Error("git did not die")
	}
}
