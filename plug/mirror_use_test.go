package plug_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

const month = 30 * 24 * time.Hour

// unused lets the only mirror of a state directory look as if nobody had fetched
// it for long.
func unused(t *testing.T, state string) (dir string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(state, "mirrors", "*.git"))
	if err != nil || len(all) != 1 {
		t.Fatalf("mirrors %v, %v", all, err)
	}
	long := time.Now().Add(-2 * month)
	if err := os.Chtimes(filepath.Join(all[0], "fetch.lock"), long, long); err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func keptMirror(t *testing.T, state string, keep time.Duration) string {
	t.Helper()
	found, err := plug.Mirrors(t.Context(), state, keep)
	if err != nil || len(found) == 0 || found[0].Kind != plug.ResourceMirror {
		t.Fatalf("listed: %+v, %v", found, err)
	}
	return found[0].Kept
}

// A mirror goes when nobody has fetched it for long, no worktree is of it and it
// holds nothing of its own; the next session fetches it anew.
func TestMirrorIsRemovedWhenNothingNeedsIt(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := urlWorld(t, repo, "file://"+filepath.Dir(repo)+"/*")
	s := w.Open()
	dir := unused(t, w.State)
	if kept := keptMirror(t, w.State, month); !strings.Contains(kept, "in use by "+w.Session) {
		t.Errorf("kept: %q", kept)
	}
	if err := plug.RemoveMirror(t.Context(), w.State, dir, month); err == nil || !strings.Contains(err.Error(), "in use by") {
		t.Errorf("removed under a worktree: %v", err)
	}
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept := keptMirror(t, w.State, 0); !strings.HasPrefix(kept, "fetched from file://") {
		t.Errorf("kept for ever: %q", kept)
	}
	if kept := keptMirror(t, w.State, 3*month); kept == "" {
		t.Error("not kept although it is young")
	}
	if kept := keptMirror(t, w.State, month); kept != "" {
		t.Errorf("kept: %q", kept)
	}
	if err := plug.RemoveMirror(t.Context(), w.State, w.State, month); err == nil {
		t.Error("removed what is no mirror")
	}
	if err := plug.RemoveMirror(t.Context(), w.State, dir, month); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(w.State, "mirrors"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	next := urlWorld(t, repo, "file://"+filepath.Dir(repo)+"/*")
	next.State = w.State
	next.Open()
	if kept := keptMirror(t, w.State, month); kept == "" {
		t.Error("not kept although it was fetched just now")
	}
}

// linkedState leads the world to its state by a symbolic link.
func linkedState(t *testing.T, w *plugtest.World) {
	t.Helper()
	link := filepath.Join(plugtest.TempDir(t), "state")
	if err := os.Symlink(w.State, link); err != nil {
		t.Fatal(err)
	}
	w.State = link
}

// A mirror with a worktree stays where the state directory is a symbolic link:
// git has its real path, the list the link's.
func TestMirrorInUseBehindALink(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := urlWorld(t, repo, "file://"+filepath.Dir(repo)+"/*")
	linkedState(t, w)
	w.Open()
	dir := unused(t, w.State)
	if kept := keptMirror(t, w.State, month); !strings.Contains(kept, "in use by "+w.Session) {
		t.Errorf("kept: %q", kept)
	}
	if err := plug.RemoveMirror(t.Context(), w.State, dir, month); err == nil || !strings.Contains(err.Error(), "in use by") {
		t.Errorf("removed under a worktree: %v", err)
	}
}

// A save whose mirror is gone is a bundle, also where the state directory is a
// symbolic link (X5); what is said of it comes when it is there.
func TestX5_SaveWithoutAMirrorBehindALink(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := urlWorld(t, repo, "file://"+filepath.Dir(repo)+"/*")
	linkedState(t, w)
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "n.txt"), "n\n")
	remove(t, unused(t, w.State))
	saved := save(t, s)
	if len(saved) != 1 || filepath.Ext(saved[0].Ref) != ".bundle" {
		t.Fatalf("saved %+v", saved)
	}
	contains(t, gitIn(t, repo, "bundle", "list-heads", saved[0].Ref), "refs/blaise/shot")
	contains(t, w.Notices(), "work saved to "+saved[0].Ref)
}

// Work that is in a mirror alone keeps it, however old it is (X5).
func TestX5_MirrorWithSavedWorkStays(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	w := urlWorld(t, repo, "file://"+filepath.Dir(repo)+"/*")
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "n.txt"), "n\n")
	save(t, s)
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := unused(t, w.State)
	if kept := keptMirror(t, w.State, month); !strings.Contains(kept, "has saved work") {
		t.Errorf("kept: %q", kept)
	}
	if err := plug.RemoveMirror(t.Context(), w.State, dir, month); err == nil {
		t.Error("removed with work in it")
	}
	gitIn(t, dir, "update-ref", "-d", "refs/blaise/"+w.Session+"/1")
	gitIn(t, dir, "branch", "blaise/mine", "main")
	if kept := keptMirror(t, w.State, month); !strings.Contains(kept, "has the branch blaise/mine") {
		t.Errorf("kept: %q", kept)
	}
}
