package git_test

import (
	"errors"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/git"
)

// Look answers in one question to git what Open, HeadBranch, Resolve and Branch
// answer in four, also where the quick question cannot be asked.
func TestLook(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, branch, wantBase string
		hurt                   func(t *testing.T, dir string)
	}{
		"the branch is new":         {"", "new/one", "main", nil},
		"the branch is there":       {"", "other", "main", nil},
		"base is given":             {"other", "new", "other", nil},
		"base is a tag of dots":     {"v1.0", "new", "v1.0", nil},
		"base is no plain name":     {"HEAD~0", "other", "HEAD~0", nil},
		"a name of two kinds":       {"", "new", "heads/main", func(t *testing.T, dir string) { run(t, dir, "tag", "main", "HEAD~1") }},
		"HEAD is on no branch":      {"", "other", "HEAD", func(t *testing.T, dir string) { run(t, dir, "checkout", "-q", "--detach") }},
		"HEAD is unborn":            {"main", "other", "main", func(t *testing.T, dir string) { run(t, dir, "checkout", "-q", "--orphan", "x") }},
		"a file has the ref's name": {"", "new", "main", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "refs/heads/new"), "") }},
		"a file has the base's name": {"a", "other", "a", func(t *testing.T, dir string) {
			run(t, dir, "branch", "a")
			write(t, filepath.Join(dir, "a^{commit}"), "")
		}},
		"bare":   {"", "other", "main", func(t *testing.T, dir string) { run(t, dir, "config", "core.bare", "true") }},
		"packed": {"", "other", "main", func(t *testing.T, dir string) { run(t, dir, "pack-refs", "--all") }},
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := newRepo(t)
			run(t, dir, "branch", "other")
			run(t, dir, "tag", "v1.0")
			run(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
			if c.hurt != nil {
				c.hurt(t, dir)
			}
			got, v, err := git.Look(t.Context(), filepath.Join(dir, ".git/.."), c.base, c.branch)
			if err != nil {
				t.Fatal(err)
			}
			open, err := git.Open(t.Context(), dir)
			if err != nil || *got != *open {
				t.Errorf("got %+v, want %+v, %v", got, open, err)
			}
			start, _ := r.Resolve(t.Context(), c.wantBase)
			tree, _ := r.Tree(t.Context(), start)
			tip, _ := r.Branch(t.Context(), c.branch)
			want := git.Survey{Base: c.wantBase, Start: start, Tree: tree, Tip: tip}
			if v != want || (tip != "") != (c.branch == "other") {
				t.Errorf("got %+v, want %+v", v, want)
			}
		})
	}
	t.Run("a base that is not there", func(t *testing.T) {
		_, dir := newRepo(t)
		for _, base := range []string{"mian", "--all", "main..main", "^main", "a.txt", "mian/"} {
			if _, _, err := git.Look(t.Context(), dir, base, "new"); !errors.Is(err, git.ErrNoRevision) {
				t.Errorf("%s: got %v", base, err)
			}
		}
	})
}

// What CheckBranch takes without asking git, git takes.
func TestCheckBranch(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"main", "blaise/a-1", "A/b_c/9", "v1.2", "x@y", "ü"} {
		if err := git.CheckBranch(t.Context(), good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "HEAD", "-x", "a..b", "a.lock", "/a", "a/", "a//b", "a b", "a\n", "x/.y", "a/HEAD.lock"} {
		if git.CheckBranch(t.Context(), bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
