package plug_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// A look at what is in a sandbox elsewhere takes no room for the holes of files,
// and leaves nothing where it fails.
func TestLookTakesNoRoomForHoles(t *testing.T) {
	t.Parallel()
	repo, root := newRepo(t), plugtest.TempDir(t)
	w := plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "src", nil), plug.NewSpec("sandbox", "", remoteKeys(t, root)))
	stack := w.Open()
	plugtest.Sh(t, stack.Env(), `echo s >end && truncate -s 40M hole && cat end >>hole && printf 'hole\n' >.gitignore`)
	if _, err := stack.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := 0
	err := filepath.WalkDir(w.State, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "hole" {
			return err
		}
		found++
		st, err := d.Info()
		if err == nil && (st.Size() != 40<<20+2 || st.Sys().(*syscall.Stat_t).Blocks*512 > 1<<20) {
			t.Errorf("%d bytes take %d on disk", st.Size(), st.Sys().(*syscall.Stat_t).Blocks*512)
		}
		return err
	})
	if err != nil || found != 1 {
		t.Errorf("found %d, %v", found, err)
	}
	plugtest.Sh(t, stack.Env(), `truncate -s 300G hole`)
	if _, err := stack.Look(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 256 GB") {
		t.Errorf("a look at 300 GB: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(w.State, "environments", "*", "*", "home-coming")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	plugtest.Sh(t, stack.Env(), `rm hole`)
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Error(err)
	}
}
