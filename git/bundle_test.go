package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/git"
)

// The work of a machine that goes away comes back in another clone: commits,
// uncommitted files, nested repositories. What the remote has is not carried.
func TestBundle(t *testing.T) {
	t.Parallel()
	origin, originDir := newRepo(t)
	write(t, filepath.Join(originDir, "big.bin"), string(make([]byte, 1<<20)))
	run(t, originDir, "add", ".")
	run(t, originDir, "commit", "-qm", "big")
	clones := map[string][]string{
		"a clone":         {"--quiet"},
		"a shallow clone": {"--quiet", "--depth=1"},
		"no remote":       {"--quiet"},
	}
	for name, args := range clones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here := filepath.Join(tempDir(t), "clone")
			run(t, originDir, append(append([]string{"clone"}, args...), "file://"+originDir, here)...)
			if name == "no remote" {
				run(t, here, "remote", "remove", "origin")
			}
			r, err := git.Open(t.Context(), here)
			if err != nil {
				t.Fatal(err)
			}
			dir := linked(t, r, "work")
			write(t, filepath.Join(dir, "committed.txt"), "c\n")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-qm", "work")
			write(t, filepath.Join(dir, "loose.txt"), "l\n")
			nested := filepath.Join(dir, "nested")
			run(t, dir, "init", "-q", nested)
			write(t, filepath.Join(nested, "in.txt"), "n\n")
			keep(t, r, dir)
			file := filepath.Join(tempDir(t), "work.bundle")
			if err := r.Bundle(t.Context(), "refs/blaise/s/1", "HEAD", file); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(file); err != nil || name != "no remote" && info.Size() > 8<<10 {
				t.Errorf("the bundle carries what the remote has: %d bytes, %v", info.Size(), err)
			}
			comesBack(t, origin, originDir, file)
		})
	}
}

// comesBack takes a bundle up in a new clone, as a session of another name.
func comesBack(t *testing.T, origin *git.Repo, originDir, file string) {
	t.Helper()
	there := filepath.Join(tempDir(t), "there")
	run(t, originDir, "clone", "--quiet", "file://"+originDir, there)
	r, err := git.Open(t.Context(), there)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Unbundle(t.Context(), file, "refs/blaise/other/7"); err != nil {
		t.Fatal(err)
	}
	wants(t, run(t, there, "ls-tree", "-r", "--name-only", "refs/blaise/other/7"),
		"committed.txt", "loose.txt", "nested")
	if sub, err := r.Ref(t.Context(), git.SubRef("refs/blaise/other/7", "nested")); err != nil || sub == "" {
		t.Errorf("the nested repository did not come along: %v", err)
	}
}

// Work that a remote has already is carried all the same, and a repository that
// lacks what the work begins at says so.
func TestBundlePrerequisites(t *testing.T) {
	t.Parallel()
	_, originDir := newRepo(t)
	here := filepath.Join(tempDir(t), "clone")
	run(t, originDir, "clone", "--quiet", "file://"+originDir, here)
	run(t, here, "commit", "-q", "--allow-empty", "-m", "pushed")
	run(t, here, "push", "-q", "origin", "HEAD:refs/heads/work")
	run(t, here, "update-ref", "refs/blaise/s/1", "HEAD")
	r, err := git.Open(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(tempDir(t), "work.bundle")
	if err := r.Bundle(t.Context(), "refs/blaise/s/1", "", file); err != nil {
		t.Fatal(err)
	}
	other, _ := newRepo(t)
	run(t, other.Dir, "commit", "-q", "--amend", "-m", "another history")
	// The first commit of two repositories made in one second is the same.
	run(t, other.Dir, "reflog", "expire", "--expire=now", "--all")
	run(t, other.Dir, "prune", "--expire=now")
	if err := other.Unbundle(t.Context(), file, "refs/blaise/s/1"); !errors.Is(err, git.ErrLacks) {
		t.Errorf("error = %v, want %v", err, git.ErrLacks)
	}
	origin, err := git.Open(t.Context(), originDir)
	if err != nil {
		t.Fatal(err)
	}
	if err := origin.Unbundle(t.Context(), file, "refs/blaise/s/1"); err != nil {
		t.Error(err)
	}
}

// A branch of the source is gone once it is merged by squash, and what was left
// out of a bundle for it with it (X5): all but the default branch is carried.
func TestX5_BundleLastsWhenBranchesAreMerged(t *testing.T) {
	t.Parallel()
	for name, saved := range map[string]string{
		"work on a pushed branch": "loose", "a pushed commit": "work", "a commit of the default branch": "main",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, originDir := newRepo(t)
			here, file := filepath.Join(tempDir(t), "clone"), filepath.Join(tempDir(t), "work.bundle")
			run(t, originDir, "clone", "--quiet", "file://"+originDir, here)
			run(t, here, "checkout", "-q", "-b", "work")
			for _, on := range []string{"one", "two"} {
				run(t, here, "commit", "-q", "--allow-empty", "-m", on)
			}
			run(t, here, "push", "-q", "origin", "work")
			run(t, here, "checkout", "-q", "-b", "loose")
			run(t, here, "commit", "-q", "--allow-empty", "-m", "not pushed")
			run(t, here, "update-ref", "refs/blaise/s/1", saved)
			r, err := git.Open(t.Context(), here)
			if err == nil {
				err = r.Bundle(t.Context(), "refs/blaise/s/1", "", file)
			}
			if err != nil {
				t.Fatal(err)
			}
			there := filepath.Join(tempDir(t), "there")
			run(t, originDir, "branch", "-qD", "work")
			run(t, originDir, "clone", "--quiet", "file://"+originDir, there)
			next, err := git.Open(t.Context(), there)
			if err == nil {
				err = next.Unbundle(t.Context(), file, "refs/blaise/s/1")
			}
			if err != nil {
				t.Fatal(err)
			}
			run(t, there, "rev-list", "--objects", "refs/blaise/s/1")
		})
	}
}
