package e2e_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"blaise.dev/blaise"
)

// oldPrograms is where `make neighbours` has put blaise and runner of an earlier
// version.
func oldPrograms(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("BLAISE_TEST_OLD")
	if dir == "" {
		t.Skip("no programs of an earlier version: make neighbours")
	}
	return dir
}

// Blaise is upgraded first: a runner of the version before works with it, and is
// upgraded under a live run, which stays of the old version to its end.
func TestNeighbours_OldRunner(t *testing.T) {
	old := oldPrograms(t)
	b := newLab(t, "{}")
	b.replaceRunner(func() {
		if err := os.Mkdir(filepath.Join(b.dir, "programs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(old, "runner"), filepath.Join(b.dir, "programs", "runner")); err != nil {
			t.Fatal(err)
		}
	})
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "recall")
	b.answered(id, 2)
	b.replaceRunner(func() { _ = os.RemoveAll(filepath.Join(b.dir, "programs")) })
	b.say(id, "read kept.txt")
	b.answered(id, 3)
	b.wantRuns(id, "start paused", "resume ")
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "recall")
	b.answered(id, 4)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
}

// replaceRunner has the daemon leave its runs, and starts the one that is there
// after the change.
func (b lab) replaceRunner(change func()) {
	b.t.Helper()
	b.await("daemon", func() bool { _, err := os.Stat(filepath.Join(b.dir, "state")); return err == nil })
	b.kill(b.daemon("state"), syscall.SIGUSR2)
	b.goneDaemon("state")
	change()
	b.runner("state")
}

// An upgrade of Blaise is taken back: the version before works on the store that
// this one leaves, with runners and live runs of this one.
func TestNeighbours_OldBlaise(t *testing.T) {
	old := oldPrograms(t)
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.killServe()
	b.background(filepath.Join(old, "blaise"), "serve")
	b.await("serve.json", b.serveJSON)
	b.say(id, "recall")
	b.answered(id, 2)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "read kept.txt")
	b.answered(id, 3)
	b.killServe()
	b.serve()
	b.say(id, "recall")
	b.answered(id, 4)
	b.wantRuns(id, "start paused", "resume ")
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
}
