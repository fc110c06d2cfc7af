package plug_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// A shelf keeps files as Blaise does.
type shelf struct{ dir string }

func (f shelf) Put(_ context.Context, path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return filepath.Base(path), os.WriteFile(filepath.Join(f.dir, filepath.Base(path)), b, 0o600)
}

func (f shelf) Get(_ context.Context, name, path string) error {
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

func clone(t *testing.T, repo string) string {
	t.Helper()
	dir := filepath.Join(plugtest.TempDir(t), "clone")
	gitIn(t, repo, "clone", "-q", "--no-local", repo, dir) // else it has all objects
	return dir
}

// nextIn is the world of the next environment of a session, in another
// repository.
func nextIn(t *testing.T, w *plugtest.World, repo string, work blaise.SavedWork) *plugtest.World {
	t.Helper()
	next := newWorktree(t, repo, nil)
	next.Session = w.Session
	next.Options.Environment, next.Options.Restore, next.Options.Files = w.Session+"-2", work, w.Options.Files
	return next
}

// What only this repository has goes to Blaise when the runner goes for good,
// though nothing is new; a clone elsewhere begins with it (A31, X5).
func TestWorktreeOfARunnerThatLeaves(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	w.Options.Files = shelf{plugtest.TempDir(t)}
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "kept.txt"), "kept\n")
	if first := save(t, s); len(first) != 1 || first[0].Bundle != "" {
		t.Fatalf("saved %+v", first)
	}
	s = w.Open()
	s.Leave()
	saved := save(t, s)
	if len(saved) != 1 || saved[0].Bundle == "" || saved[0].Host == "" {
		t.Fatalf("saved %+v\n%s", saved, w.Notices())
	}
	if again := save(t, s); len(again) != 0 {
		t.Errorf("saved again: %+v", again)
	}
	next := nextIn(t, w, clone(t, repo), saved[0])
	contains(t, read(t, filepath.Join(next.Open().Env().Place().Dir, "kept.txt")), "kept")

	other := plugtest.TempDir(t)
	gitIn(t, other, "init", "-q", "-b", "main")
	gitIn(t, other, "commit", "-q", "--allow-empty", "-m", "of its own")
	next = nextIn(t, w, other, saved[0])
	refused(t, next, "is of another repository than "+other, "in "+repo+" on ")
	if refs := gitIn(t, other, "for-each-ref", "refs/blaise"); refs != "" {
		t.Errorf("left: %s", refs)
	}
}

// Nobody begins without saved work that is somewhere else (X5): who is told
// where it is brings it, and then it is taken.
func TestWorktreeBeginsNotWithoutTheWork(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := newWorktree(t, repo, nil)
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "kept.txt"), "kept\n")
	saved := save(t, s)
	here := clone(t, repo)
	next := nextIn(t, w, here, saved[0])
	said := refused(t, next, saved[0].Ref, "neither in "+here+" nor with Blaise", "in "+repo+" on "+saved[0].Host,
		"blaise retry "+w.Session)
	if strings.Contains(next.Notices(), "beginning with the work") {
		t.Errorf("notices: %s", next.Notices())
	}
	_, todo, _ := strings.Cut(said, "git -C "+here+" ")
	todo, _, _ = strings.Cut(todo, ";")
	gitIn(t, here, strings.Fields(strings.ReplaceAll(todo, "'", ""))...)
	next = nextIn(t, w, here, saved[0])
	contains(t, read(t, filepath.Join(next.Open().Env().Place().Dir, "kept.txt")), "kept")

	next = nextIn(t, w, repo, saved[0])
	next.Specs = []plug.Spec{plug.NewSpec("local", "", nil)}
	if err := next.Stack().Open(t.Context()); !errors.Is(err, plug.ErrRefused) {
		t.Errorf("without a worktree: %v", err)
	}
}

// refused opens a stack that must refuse, and takes it down again as a run does.
func refused(t *testing.T, w *plugtest.World, words ...string) string {
	t.Helper()
	s := w.Stack()
	err := s.Open(t.Context())
	if !errors.Is(err, plug.ErrRefused) {
		t.Fatalf("open: got %v, want ErrRefused", err)
	}
	contains(t, err.Error(), words...)
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	return err.Error()
}
