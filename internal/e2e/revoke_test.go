package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// A revoked runner stops its runs at once and takes nothing down (A31).
func TestA31_RevokedRunnerLeavesEverythingAsItIs(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	tree, run, daemon := b.worktree(id), b.runPID(), b.daemon("state")
	b.run("token", "revoke", "laptop", "--yes")
	if r := b.lastRun(id); r.Outcome != blaise.RunLost {
		t.Errorf("run %+v", r)
	}
	b.await("run gone", func() bool { return zombie(run) })
	b.await("daemon gone", func() bool { return zombie(daemon) })
	if _, err := os.Stat(filepath.Join(tree, "kept.txt")); err != nil {
		t.Errorf("it was torn down: %v", err)
	}
	b.environment(id, blaise.EnvLost)
	b.why("laptop", "revoked at")
	b.exec("git", "worktree", "remove", "--force", tree)
}

// The gentle form: an open turn ends, the work is saved, and the token goes with
// the last run; the next message is answered elsewhere, from the saved work (A31).
func TestA31_RevokeAfterDrain(t *testing.T) {
	b := newLab(t, "{policy: {idle: {then: end}}}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	tree, daemon := b.worktree(id), b.daemon("state")
	b.say(id, "sleep 2")
	b.state(id, blaise.SessionWorking)
	b.run("token", "revoke", "laptop", "--after-drain")
	if said := b.run("token", "list"); !strings.Contains(said, "drains, then revoked") {
		t.Error(said)
	}
	if said := b.run("runner", "show", "laptop"); !strings.Contains(said, "revoked when its last run has ended") {
		t.Error(said)
	}
	b.why("laptop", "revoked when its last run has ended")
	b.why(string(id), "token revoke --after-drain --timeout = 30m0s")
	b.message(id, 2, blaise.MessageAnswered)
	b.environment(id, blaise.EnvLost)
	b.wantRuns(id, "start paused")
	b.await("daemon gone", func() bool { return zombie(daemon) })
	if said := b.run("token", "list"); !strings.Contains(said, "revoked") || strings.Contains(said, "drains") {
		t.Error(said)
	}
	b.write("token", b.run("token", "create", "tower"))
	b.runner("other")
	b.say(id, "read kept.txt")
	if m := b.message(id, 3, blaise.MessageAnswered); !strings.Contains(m.Answer, "it stays") {
		t.Errorf("answer %q", m.Answer)
	}
	b.exec("git", "worktree", "remove", "--force", tree)
}
