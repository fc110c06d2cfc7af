package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"blaise.dev/blaise"
)

// TERM to the daemon: the runs are cancelled, save, and tear down; a question
// that nobody answered delays nothing (A20).
func TestA20_SignalCancelsAndTearsDown(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.say(id, "write other.txt")
	b.say(id, "write never.txt no")
	b.state(id, blaise.SessionParked)
	b.kill(b.daemon("state"), syscall.SIGTERM)
	s := b.environment(id, blaise.EnvDestroyed)
	b.goneDaemon("state")
	if s.Outcome != blaise.OutcomeCancelled || len(b.saved(id)) == 0 {
		t.Errorf("session %s, saves %v", s.Outcome, b.saved(id))
	}
	b.wantRuns(id, "start cancelled")
}

// A stop by hand pauses a session while Blaise is away; it is no lost run (A20).
func TestA20_StopByHandWithoutBlaise(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	pid := b.runPID()
	b.killServe()
	b.exits(0, "runner", "runs", "stop", string(id)+".1", "--state", filepath.Join(b.dir, "state"))
	b.await("run gone", func() bool { return zombie(pid) })
	b.serve()
	b.environment(id, blaise.EnvPaused)
	b.wantRuns(id, "start paused")
	b.say(id, "recall")
	b.answered(id, 2)
	b.run("end", string(id)) // Blaise goes before the runner here: leave no run behind that waits for it
}

// Blaise dies between a stop and the report of the pause: the run says nothing
// else, and the report counts when Blaise is back (A21).
func TestA21_ReportOfAPauseSurvivesBlaise(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.run("pause", string(id))
	b.killServe()
	b.serve()
	b.environment(id, blaise.EnvPaused)
	b.wantRuns(id, "start paused")
}

// A broken environment is torn down and made anew, and the message answered (A22).
func TestA22_BrokenEnvironmentIsRecreated(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	if err := os.RemoveAll(b.worktree(id)); err != nil {
		t.Fatal(err)
	}
	b.say(id, "read kept.txt")
	b.message(id, 2, blaise.MessageAnswered)
	s := b.show(id)
	if s.Environment.Generation != 2 || !strings.Contains(s.Messages[1].Answer, "it stays") {
		t.Errorf("generation %d, answer %q", s.Environment.Generation, s.Messages[1].Answer)
	}
	b.says(id, "was recreated, from the last saved work")
}

func TestA23_OtherFailureFailsTheSessionAndTearsDown(t *testing.T) {
	b := newLab(t, "{}")
	b.write("repo/blaise.yml", "version: 1\nagent: {command: [sh, -c, 'echo no licence >&2; exit 7']}\n"+
		"plugs: [{use: worktree, id: src, repo: .}]\n")
	id := b.start("hello")
	s := b.environment(id, blaise.EnvDestroyed)
	if s.Outcome != blaise.OutcomeFailed || !strings.Contains(s.Reason, "no licence") {
		t.Errorf("session %s: %s", s.Outcome, s.Reason)
	}
	b.wantRuns(id, "start failed")
}

// A run that dies in a turn is followed by another in the same environment (A24).
func TestA24_DeadRunIsFollowedByAnother(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	tree := b.worktree(id)
	b.say(id, "sleep 3")
	b.state(id, blaise.SessionWorking)
	b.kill(b.runPID(), syscall.SIGKILL)
	b.answered(id, 2)
	if s := b.show(id); s.Messages[1].Repeats != 1 || b.worktree(id) != tree {
		t.Errorf("message %+v, worktree %s, was %s", s.Messages[1], b.worktree(id), tree)
	}
	b.wantRuns(id, "start lost", "resume ")
}

func TestA24_ThreeDeadRunsGiveUp(t *testing.T) {
	b := newLab(t, "{policy: {onInterruptedTurn: fail}}")
	id := b.start("hello")
	b.answered(id, 1)
	for n := 1; n <= 3; n++ {
		b.say(id, "sleep 100")
		b.state(id, blaise.SessionWorking)
		b.kill(b.runPID(), syscall.SIGKILL)
		b.runState(id, n, blaise.RunEnded)
	}
	s := b.environment(id, blaise.EnvDestroyed)
	if s.Outcome != blaise.OutcomeFailed || !strings.Contains(s.Reason, "3 runs in a row were lost or refused") {
		t.Errorf("session %s: %s", s.Outcome, s.Reason)
	}
	b.wantRuns(id, "start lost", "resume lost", "resume lost", "teardown completed")
}

// A process that cannot be started is reported at once, and another run follows
// after 5 s, long before any timeout (A25).
func TestA25_ProcessThatCannotBeStarted(t *testing.T) {
	b := newLab(t, "{}")
	// Online, the daemon has made its copy of the program.
	b.await("runner online", func() bool { return strings.Contains(b.run("runner", "list"), "online") })
	bin := filepath.Join(b.dir, "state", "bin")
	if err := os.Rename(bin, bin+".away"); err != nil {
		t.Fatal(err)
	}
	id := b.start("hello")
	b.runState(id, 1, blaise.RunEnded)
	if r := b.show(id).Runs[0]; r.Outcome != blaise.RunFailed || !strings.Contains(r.Reason, "could not be started") {
		t.Errorf("run %+v", r)
	}
	b.why(string(id), "retry of a run whose process did not start = 5s")
	if err := os.Rename(bin+".away", bin); err != nil {
		t.Fatal(err)
	}
	b.answered(id, 1)
	b.wantRuns(id, "start failed", "start ")
}

// Without Blaise for its lease a run stops itself and destroys nothing (A26).
func TestA26_LostContact(t *testing.T) {
	b := newLab(t, "{policy: {lease: {beat: 100ms, misses: 20}}}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	tree, pid := b.worktree(id), b.runPID()
	b.killServe()
	b.await("the run stops itself", func() bool { return zombie(pid) })
	if _, err := os.Stat(filepath.Join(tree, "kept.txt")); err != nil {
		t.Errorf("the environment is gone: %v", err)
	}
	b.serve()
	b.environment(id, blaise.EnvUnattended)
	if r := b.lastRun(id); r.Outcome != blaise.RunLost {
		t.Errorf("run %+v", r)
	}
	b.say(id, "read kept.txt")
	b.answered(id, 2)
}

// A disabled agent: the live run goes on, a paused session waits (A27).
func TestA27_DisabledAgent(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("agent", "disable", "coder")
	b.say(id, "count")
	b.answered(id, 2)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "recall")
	b.why(string(id)+".m3", "disabled (agent coder, revision")
	b.why(string(id), "blaise agent enable coder")
	if said := b.run("list"); !strings.Contains(said, string(id)) || !strings.Contains(said, "queued") {
		t.Error(said)
	}
	b.run("agent", "enable", "coder")
	b.answered(id, 3)
}

func TestA27_ArchivedAgent(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("agent", "archive", "coder")
	b.environment(id, blaise.EnvPaused)
	b.history(id, "clock:idle", "the agent is archived (agent coder, revision")
	b.why(string(id), "clock max_paused fires at")
	if said := b.run("list"); !strings.Contains(said, string(id)) || !strings.Contains(said, "paused") {
		t.Error(said)
	}
	if said := b.fails(4, "say", string(id), "more"); !strings.Contains(said, "archived") {
		t.Error(said)
	}
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
}

// Twenty at once: each message has its number and its answer, in order (A30).
func TestA30_OneAfterTheOther(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() { b.run("say", string(id), fmt.Sprintf("echo %d", i)) })
	}
	all.Wait()
	b.answered(id, 11)
	var last int
	for i, m := range b.show(id).Messages {
		if m.State != blaise.MessageAnswered || m.Turn != i+1 || m.Turn <= last {
			t.Errorf("message %d: %+v", i+1, m)
		}
		last = m.Turn
	}
}

// A session waits for its runner while that is offline, and begins afresh
// elsewhere when it is revoked (A31).
func TestA31_OfflineWaitsRevokedBeginsAfresh(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.kill(b.daemon("state"), syscall.SIGTERM)
	b.goneDaemon("state")
	b.write("token", b.run("token", "create", "tower"))
	b.runner("other")
	b.say(id, "recall")
	b.why(string(id), "which ran the session before")
	if s := b.show(id); s.Messages[1].State != blaise.MessageQueued {
		t.Fatalf("another runner took it: %+v", s.Messages[1])
	}
	b.run("token", "revoke", "laptop", "--yes")
	b.answered(id, 2)
	if g := b.show(id).Environment.Generation; g != 2 {
		t.Errorf("generation %d", g)
	}
}

// Instances that share a token and a machine are one runner (A31): each run is
// taken by one, and the last instance goes first.
func TestA31_InstancesOfOneToken(t *testing.T) {
	b := newLab(t, "{}")
	b.runner("second")
	var ids []blaise.SessionID
	for range 4 {
		ids = append(ids, b.start("hello"))
	}
	for _, id := range ids {
		b.answered(id, 1)
		if n := len(b.show(id).Runs); n != 1 {
			t.Errorf("session %s has %d runs", id, n)
		}
	}
	first := b.lastRun(ids[0]).Instance
	b.run("pause", string(ids[0]))
	b.environment(ids[0], blaise.EnvPaused)
	b.say(ids[0], "recall")
	b.answered(ids[0], 2)
	if now := b.lastRun(ids[0]).Instance; now != first {
		t.Errorf("resumed on instance %s, was %s", now, first)
	}
}

// Plugs are found again by id whatever their order; a new one is made, and one
// that was removed is torn down by what was recorded of it (A32).
func TestA32_ChangedFileBetweenRuns(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	again := func(plugs string, n int) {
		t.Helper()
		b.run("pause", string(id))
		b.environment(id, blaise.EnvPaused)
		b.write("repo/blaise.yml", "version: 1\nagent: {use: demo}\nplugs: ["+plugs+"]\n")
		b.say(id, "read kept.txt")
		b.answered(id, n)
		if got := b.show(id).Messages[n-1].Answer; !strings.Contains(got, "it stays") {
			t.Errorf("with %s: %q", plugs, got)
		}
	}
	again("{use: local, id: here}, {use: worktree, id: src, repo: .}", 2)
	again("{use: worktree, id: more, repo: ., branch: 'more-{session}'}, {use: worktree, id: src, repo: .}", 3)
	again("{use: worktree, id: src, repo: .}", 4)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	if trees := strings.Count(b.exec("git", "worktree", "list"), "\n"); trees != 1 {
		t.Errorf("%d worktrees are left", trees-1) // a removed plug goes by its recorded spec
	}
}
