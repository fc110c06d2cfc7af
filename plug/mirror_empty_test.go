package plug_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// A haven has written down the saves of one session, and takes bundles into dir.
type haven struct {
	saves   []blaise.SavedWork
	deleted bool
	full    error
	dir     string
}

func (h *haven) Saves(context.Context, blaise.SessionID) ([]blaise.SavedWork, bool, error) {
	return h.saves, h.deleted, nil
}

func (h *haven) Keep(ctx context.Context, _ blaise.SessionID, save blaise.SavedWork, file string) error {
	if h.full != nil {
		return h.full
	}
	sum, err := shelf{h.dir}.Put(ctx, file)
	for i := range h.saves {
		if h.saves[i].N == save.N {
			h.saves[i].Bundle = sum
		}
	}
	return err
}

// takenUp is kept.txt in the next environment of a session, which begins with a
// save and knows no mirror.
func takenUp(t *testing.T, w *plugtest.World, repo string, from blaise.SavedWork) string {
	t.Helper()
	next := urlWorld(t, repo, w.Options.Repos...)
	next.Session = w.Session
	next.Options.Environment, next.Options.Restore, next.Options.Files = w.Session+"-2", from, w.Options.Files
	return read(t, filepath.Join(next.Open().Env().Place().Dir, "kept.txt"))
}

// A mirror that nobody needs is emptied of the work that is saved in it when
// Blaise has that, and a new environment begins with it all the same (X5). What
// Blaise does not take, or does not know, stays where it is.
func TestX5_MirrorIsEmptiedIntoBlaise(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	may := "file://" + filepath.Dir(repo) + "/*"
	w := urlWorld(t, repo, may)
	files := shelf{t.TempDir()}
	w.Options.Files = files
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "kept.txt"), "kept\n")
	saved := save(t, s)
	dir := unused(t, w.State)
	to := &haven{saves: saved, dir: files.dir}
	empty := func(want string, repos ...string) {
		t.Helper()
		err := plug.EmptyMirror(t.Context(), w.State, dir, month, repos, to)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("emptied: %v, want %q", err, want)
		}
	}
	left := func() string { return gitIn(t, dir, "for-each-ref", "refs/blaise") }
	empty("", may)
	if left() == "" {
		t.Fatal("emptied under a worktree")
	}
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	empty("runner.repos")
	to.full = errors.New("no room")
	empty("no room", may)
	to.full, to.saves = nil, nil
	empty("of which Blaise knows nothing", may)
	if left() == "" {
		t.Fatal("what Blaise has not is gone")
	}
	to.saves = saved
	empty("", may)
	if refs := left(); refs != "" || to.saves[0].Bundle == "" {
		t.Fatalf("left: %s; Blaise has %+v", refs, to.saves)
	}
	if st, err := os.Stat(filepath.Join(files.dir, to.saves[0].Bundle)); err != nil || st.Size() == 0 {
		t.Fatalf("the bundle: %v", err)
	}
	if removed, err := plug.RemoveUnused(t.Context(), w.State, dir, month); !removed || err != nil {
		t.Fatalf("removed: %v, %v", removed, err)
	}
	contains(t, takenUp(t, w, repo, to.saves[0]), "kept")
}

// The saved work of a session that was deleted goes with its mirror.
func TestMirrorOfADeletedSession(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	may := "file://" + filepath.Dir(repo) + "/*"
	w := urlWorld(t, repo, may)
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "n.txt"), "n\n")
	save(t, s)
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := unused(t, w.State)
	used := git.MirrorUsed(dir)
	if err := plug.EmptyMirror(t.Context(), w.State, dir, month, []string{may}, &haven{deleted: true}); err != nil {
		t.Fatal(err)
	}
	if !git.MirrorUsed(dir).Equal(used) {
		t.Error("that was no use of it")
	}
	if kept := keptMirror(t, w.State, month); kept != "" {
		t.Errorf("kept: %q", kept)
	}
}

// What was pushed from a session is in its work all the same: the branch may be
// merged by squash, and removed, before anybody takes the work up again (X5).
func TestX5_EmptiedMirrorOutlastsTheBranchesOfItsSource(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	may := "file://" + filepath.Dir(repo) + "/*"
	w := urlWorld(t, repo, may)
	files := shelf{t.TempDir()}
	w.Options.Files = files
	s := w.Open()
	checkout := s.Env().Place().Dir
	write(t, filepath.Join(checkout, "part.txt"), "one\n")
	gitIn(t, checkout, "add", "-A")
	gitIn(t, checkout, "commit", "-qm", "part one")
	gitIn(t, checkout, "push", "-q", "file://"+repo, "HEAD:refs/heads/feature")
	write(t, filepath.Join(checkout, "kept.txt"), "not pushed\n")
	to := &haven{saves: save(t, s), dir: files.dir}
	dir := unused(t, w.State)
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := plug.EmptyMirror(t.Context(), w.State, dir, month, []string{may}, to); err != nil {
		t.Fatal(err)
	}
	if removed, err := plug.RemoveUnused(t.Context(), w.State, dir, month); !removed || err != nil {
		t.Fatalf("removed: %v, %v", removed, err)
	}
	gitIn(t, repo, "merge", "-q", "--squash", "feature")
	gitIn(t, repo, "commit", "-qm", "feature")
	gitIn(t, repo, "branch", "-qD", "feature")
	contains(t, takenUp(t, w, repo, to.saves[0]), "not pushed")
}

// A foreign haven answers nothing of one session.
type foreign struct {
	*haven
	not blaise.SessionID
}

func (f foreign) Saves(ctx context.Context, id blaise.SessionID) ([]blaise.SavedWork, bool, error) {
	if id == f.not {
		return nil, false, blaise.Errorf(blaise.CodeDenied, "session %s has no run of runner r", id)
	}
	return f.haven.Saves(ctx, id)
}

// The work of a session of which Blaise tells the runner nothing stays in the
// mirror, is said, and keeps that of no other there; where nothing is to be sent,
// the source is not asked.
func TestX5_ForeignWorkKeepsNoOtherInAMirror(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	may := "file://" + filepath.Dir(repo) + "/*"
	w := urlWorld(t, repo, may)
	s := w.Open()
	write(t, filepath.Join(s.Env().Place().Dir, "n.txt"), "n\n")
	to := foreign{haven: &haven{saves: save(t, s), dir: t.TempDir()}, not: "aaaa1234"}
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := unused(t, w.State)
	gitIn(t, dir, "update-ref", "refs/blaise/aaaa1234/1", "refs/blaise/"+w.Session+"/1")
	empty := func() {
		t.Helper()
		err := plug.EmptyMirror(t.Context(), w.State, dir, month, []string{may}, to)
		if err == nil || strings.Count(err.Error(), "has no run of runner r") != 1 || strings.Contains(err.Error(), "ls-remote") {
			t.Errorf("emptied: %v", err)
		}
	}
	empty()
	if left := gitIn(t, dir, "for-each-ref", "--format=%(refname)"); !strings.Contains(left, "refs/blaise/aaaa1234/1") ||
		strings.Contains(left, w.Session) {
		t.Errorf("left: %s", left)
	}
	gitIn(t, dir, "update-ref", "refs/blaise/"+w.Session+"/1", to.saves[0].Commit)
	if err := os.Rename(repo, repo+"-gone"); err != nil {
		t.Fatal(err)
	}
	empty()
	if left := gitIn(t, dir, "for-each-ref", "--format=%(refname)"); strings.Contains(left, w.Session) {
		t.Errorf("left though Blaise has it: %s", left)
	}
}
