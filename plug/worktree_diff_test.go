package plug_test

import (
	"os"
	"path/filepath"
	"testing"

	"blaise.dev/blaise"
)

// What changed in a worktree is told as it stands, committed or not, and once it
// is saved out of the save: then the tree may go.
func TestWorktreeDiff(t *testing.T) {
	t.Parallel()
	w := newWorktree(t, newRepo(t), nil)
	s := w.Open()
	dir := s.Env().Place().Dir
	look := func(saved []blaise.SavedWork) blaise.Diff {
		t.Helper()
		d, err := s.Diff(t.Context(), saved)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := look(nil); len(d.Files) != 0 || d.Patch != "" || d.From != dir {
		t.Errorf("nothing was done: %+v", d)
	}
	if err := os.WriteFile(filepath.Join(dir, "new.txt"), []byte("fresh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	live := look(nil)
	if len(live.Files) != 1 || live.Files[0] != (blaise.FileChange{Path: "new.txt", Added: 1}) {
		t.Errorf("live: %+v", live.Files)
	}
	contains(t, live.Patch, "+fresh")
	saved := save(t, s)
	if err := os.RemoveAll(filepath.Join(dir, "new.txt")); err != nil {
		t.Fatal(err)
	}
	if d := look(saved); d.From != saved[0].Ref || d.Patch != live.Patch {
		t.Errorf("saved: %+v", d)
	}
	if d := look(nil); len(d.Files) != 0 {
		t.Errorf("taken away: %+v", d.Files)
	}
}
