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

// The gentle form: an open turn ends, the work of what runs and of what sleeps
// goes to Blaise, nothing is left, and the token goes; the next messages are
// answered elsewhere, from the saved work (A31, X5).
func TestA31_RevokeAfterDrain(t *testing.T) {
	b := newLab(t, "{policy: {idle: {then: end}}}")
	sleeps := b.start("write dream.txt it slept")
	b.writes(sleeps, 1)
	b.run("pause", string(sleeps))
	b.environment(sleeps, blaise.EnvPaused)
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	trees, daemon := []string{b.worktree(sleeps), b.worktree(id)}, b.daemon("state")
	b.say(id, "sleep 2")
	b.state(id, blaise.SessionWorking)
	if said := b.run("token", "revoke", "laptop", "--after-drain"); !strings.Contains(said, "2 sessions have there is taken down first") {
		t.Error(said)
	}
	if said := b.run("token", "list"); !strings.Contains(said, "drains, then revoked") {
		t.Error(said)
	}
	if said := b.run("runner", "show", "laptop"); !strings.Contains(said, "revoked when nothing is left there") {
		t.Error(said)
	}
	b.why("laptop", "revoked when nothing is left there")
	b.why(string(id), "token revoke --after-drain --timeout = 30m0s")
	b.message(id, 2, blaise.MessageAnswered)
	b.environment(id, blaise.EnvDestroyed)
	b.wantRuns(id, "start torn_down")
	b.environment(sleeps, blaise.EnvDestroyed)
	b.wantRuns(sleeps, "start paused", "teardown completed")
	b.await("daemon gone", func() bool { return zombie(daemon) })
	if said := b.run("token", "list"); !strings.Contains(said, "revoked") || strings.Contains(said, "drains") {
		t.Error(said)
	}
	for _, tree := range trees {
		if _, err := os.Stat(tree); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", tree, err)
		}
	}
	b.runnerInClone("tower")
	b.goesOn(id, 3, "kept.txt", "it stays")
	b.goesOn(sleeps, 2, "dream.txt", "it slept")
}

// goesOn asks for a file of a session that another runner goes on with.
func (b lab) goesOn(id blaise.SessionID, n int, file, words string) {
	b.t.Helper()
	b.say(id, "read "+file)
	if m := b.message(id, n, blaise.MessageAnswered); !strings.Contains(m.Answer, words) {
		b.t.Errorf("answer %q", m.Answer)
	}
	b.says(id, "recreated, from the last saved work")
}

// runnerInClone starts a runner in a clone of the lab's repository that has no
// saved work.
func (b lab) runnerInClone(name string) (clone string) {
	b.t.Helper()
	clone = filepath.Join(b.dir, name+"-clone")
	b.exec("git", "clone", "--quiet", "--no-local", filepath.Join(b.dir, "repo"), clone)
	b.write(name+"-clone/blaise.yml", demoConfig)
	b.write("token", b.run("token", "create", name))
	b.runner(name, "--config", filepath.Join(clone, "blaise.yml"))
	return clone
}

// Work that is on another machine alone is not gone on from without it: the
// message waits and says where the work is; brought here, it is taken (X5).
func TestX5_NothingGoesOnWithoutTheSavedWork(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	b.run("token", "revoke", "laptop", "--yes")
	clone := b.runnerInClone("tower")
	next := b.start("read kept.txt", "--from", string(id))
	ref := "refs/blaise/" + string(id) + "/"
	b.await("refused", func() bool { return strings.Contains(b.show(next).Messages[0].Reason, "run refused") })
	b.why(string(next), ref+"1, is neither in "+clone+" nor with Blaise")
	if said := b.fails(3, "diff", string(id), "--repo", clone); !strings.Contains(said, ref+"1 in "+filepath.Join(b.dir, "repo")) {
		t.Errorf("blaise diff: %s", said)
	}
	b.exec("git", "-C", clone, "fetch", "--quiet", filepath.Join(b.dir, "repo"), ref+"*:"+ref+"*")
	b.run("retry", string(next))
	if m := b.message(next, 1, blaise.MessageAnswered); !strings.Contains(m.Answer, "it stays") {
		t.Errorf("answer %q", m.Answer)
	}
	b.run("end", string(next))
	b.environment(next, blaise.EnvDestroyed)
}

// A session that has work is not ended by a branch that the next runner's clone
// lacks: its message waits, and is answered when the branch is there (X5, A22).
func TestX5_WorkOutlivesAMissingBranch(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.run("token", "revoke", "laptop", "--after-drain")
	b.environment(id, blaise.EnvDestroyed)
	b.say(id, "read kept.txt")
	clone := filepath.Join(b.dir, "tower-clone")
	b.exec("git", "clone", "--quiet", "--no-local", filepath.Join(b.dir, "repo"), clone)
	b.write("tower-clone/blaise.yml", strings.Replace(demoConfig, "repo: .", "repo: ., base: release", 1))
	b.write("token", b.run("token", "create", "tower"))
	b.runner("tower", "--config", filepath.Join(clone, "blaise.yml"))
	b.await("refused", func() bool { return strings.Contains(b.show(id).Messages[1].Reason, "find release") })
	if s := b.show(id); s.State == blaise.SessionEnded {
		t.Fatalf("session %+v", s.State)
	}
	b.exec("git", "-C", clone, "branch", "release")
	b.run("retry", string(id))
	if m := b.message(id, 2, blaise.MessageAnswered); !strings.Contains(m.Answer, "it stays") {
		t.Errorf("answer %q", m.Answer)
	}
}
