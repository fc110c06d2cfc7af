package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/git"
)

// takeAndKeep saves a tree as n. A clone stands alone.
func takeAndKeep(t *testing.T, r *git.Repo, dir, start string, clone bool, ref string) *git.Shot {
	t.Helper()
	s := git.Snapshot{Tree: dir, Home: r.CommonDir, Start: start, Scratch: tempDir(t), Message: "saved"}
	if !clone {
		s.GitDir, s.Common = r.AdminDir(dir), r.CommonDir
	}
	shot, err := s.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shot.Close() })
	if err := r.Keep(t.Context(), shot, ref); err != nil {
		t.Fatal(err)
	}
	return shot
}

func cloneOf(t *testing.T, r *git.Repo) (dir, start string) {
	t.Helper()
	dir = filepath.Join(tempDir(t), "clone")
	start, err := r.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Clone(t.Context(), git.NewWorktree{Dir: dir, Branch: "work", Start: start}, nil); err != nil {
		t.Fatal(err)
	}
	return dir, start
}

func commitFile(t *testing.T, dir, name string) (id string) {
	t.Helper()
	write(t, filepath.Join(dir, name), name+"\n")
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "-m", name)
	return run(t, dir, "rev-parse", "HEAD")
}

// Commits that were reset away, amended or made on no branch are saved, in a
// linked worktree and in a clone (X5).
func TestX5_StrayCommitsAreSaved(t *testing.T) {
	t.Parallel()
	for _, clone := range []bool{false, true} {
		r, _ := newRepo(t)
		var dir, start string
		if clone {
			dir, start = cloneOf(t, r)
		} else {
			dir = linked(t, r, "x")
			start = run(t, dir, "rev-parse", "HEAD")
		}
		none := takeAndKeep(t, r, dir, start, clone, "refs/blaise/s/1")
		if none.Strays != "" {
			t.Errorf("clone %v: strays of an untouched tree", clone)
		}
		lower := commitFile(t, dir, "lower.txt")
		upper := commitFile(t, dir, "upper.txt")
		run(t, dir, "reset", "-q", "--hard", start)
		run(t, dir, "checkout", "-q", "--detach")
		detached := commitFile(t, dir, "detached.txt")
		run(t, dir, "checkout", "-q", "--detach", start)
		shot := takeAndKeep(t, r, dir, start, clone, "refs/blaise/s/2")
		got := run(t, r.CommonDir, "rev-parse", git.StrayRef("refs/blaise/s/2")+"^@")
		wants(t, got, upper, detached)
		if strings.Contains(got, lower) {
			t.Errorf("clone %v: %s has more parents than it needs", clone, got)
		}
		if shot.Fingerprint() == none.Fingerprint() {
			t.Errorf("clone %v: they do not count as work", clone)
		}
		again := takeAndKeep(t, r, dir, start, clone, "refs/blaise/s/3")
		if again.Fingerprint() != shot.Fingerprint() {
			t.Errorf("clone %v: the same work counts twice", clone)
		}
	}
}

// Tags that only a clone has are saved (X5).
func TestX5_TagsOfAClone(t *testing.T) {
	t.Parallel()
	r, repo := newRepo(t)
	run(t, repo, "tag", "old")
	dir, start := cloneOf(t, r)
	id := commitFile(t, dir, "tagged.txt")
	run(t, dir, "tag", "-a", "new", "-m", "a tag")
	run(t, dir, "reset", "-q", "--hard", start)
	takeAndKeep(t, r, dir, start, true, "refs/blaise/s/1")
	if got := run(t, r.CommonDir, "rev-parse", "refs/blaise/s/1.d/tags/new^{commit}"); got != id {
		t.Errorf("got %s, want %s", got, id)
	}
	if got := run(t, r.CommonDir, "for-each-ref", "refs/blaise/s/1.d/tags/old"); got != "" {
		t.Errorf("the user's own tag was taken: %s", got)
	}
}

// A clone whose .git is ruined loses no commit whose objects are there (X5).
func TestX5_RuinedClone(t *testing.T) {
	t.Parallel()
	for name, ruin := range map[string]func(git string) error{
		"no HEAD": func(g string) error { return os.Remove(filepath.Join(g, "HEAD")) },
		"nothing but objects": func(g string) error {
			for _, what := range []string{"HEAD", "refs", "packed-refs", "logs", "index", "config", "ORIG_HEAD"} {
				if err := os.RemoveAll(filepath.Join(g, what)); err != nil {
					return err
				}
			}
			return nil
		},
		"HEAD names nothing": func(g string) error {
			return os.WriteFile(filepath.Join(g, "HEAD"), []byte(strings.Repeat("ab", 20)+"\n"), 0o644)
		},
		"packed-refs is no file": func(g string) error {
			_ = os.Remove(filepath.Join(g, "packed-refs"))
			return os.Mkdir(filepath.Join(g, "packed-refs"), 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, repo := newRepo(t)
			run(t, repo, "branch", "other")
			dir, start := cloneOf(t, r)
			id := commitFile(t, dir, "mine.txt")
			write(t, filepath.Join(dir, "loose.txt"), "loose\n")
			if err := ruin(filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
			shot := takeAndKeep(t, r, dir, start, true, "refs/blaise/s/1")
			if run(t, r.CommonDir, "for-each-ref", "--contains", id) == "" {
				t.Errorf("the commit is lost: %+v", shot)
			}
			wants(t, run(t, r.CommonDir, "ls-tree", "-r", "refs/blaise/s/1"), "loose.txt", "mine.txt")
		})
	}
}

// A bundle brings back all that a save in the repository would hold, and what
// is not put back is told (X5).
func TestX5_BundleHoldsAll(t *testing.T) {
	t.Parallel()
	r, _ := newRepo(t)
	dir, start := cloneOf(t, r)
	commitFile(t, dir, "stray.txt")
	run(t, dir, "reset", "-q", "--hard", start)
	commitFile(t, dir, "side.txt")
	run(t, dir, "branch", "side")
	run(t, dir, "tag", "mark")
	run(t, dir, "reset", "-q", "--hard", start)
	run(t, dir, "init", "-q", "inner")
	commitFile(t, filepath.Join(dir, "inner"), "deep.txt")
	shot, err := git.Snapshot{Tree: dir, Home: r.CommonDir, Start: start, Scratch: tempDir(t), Message: "saved"}.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer shot.Close()
	file := filepath.Join(tempDir(t), "saved-1.bundle")
	if err := shot.Bundle(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	other, _ := newRepo(t)
	const ref = "refs/blaise/s/1"
	if err := other.Borrow(t.Context(), file, ref); err != nil {
		t.Fatal(err)
	}
	commit := run(t, other.CommonDir, "rev-parse", ref)
	for whole, want := range map[bool][]string{
		true:  {"head side: " + ref, "tag mark: " + ref, "no branch led to"},
		false: {"head side: " + ref, "tag mark: " + ref, "no branch led to", "a nested repository"},
	} {
		extras, err := other.Extras(t.Context(), commit, ref, whole)
		if err != nil {
			t.Fatal(err)
		}
		wants(t, strings.Join(extras, "\n"), want...)
		if whole && strings.Contains(strings.Join(extras, "\n"), "nested") {
			t.Errorf("what is put back is told as if it were not: %v", extras)
		}
	}
}
