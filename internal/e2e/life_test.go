package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
)

// One life: start, pause, resume, pause, teardown. The environment outlives the
// runs (A3), the replay is recorded once (A13), the agent is a new process (A33).
func TestA1_A2_A3_A12_A13_A17_A33_OneLife(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	tree := b.worktree(id)
	first := b.agents(filepath.Join(b.dir, "state"))
	b.run("pause", string(id))
	s := b.environment(id, blaise.EnvPaused)
	b.goneAgent(filepath.Join(b.dir, "state"))
	if len(s.Environment.Plugs) != 1 || len(s.Environment.Plugs[0].Resources) == 0 {
		t.Errorf("what a paused environment holds is not shown: %+v", s.Environment.Plugs)
	}
	b.say(id, "read kept.txt")
	b.answered(id, 2)
	if got := b.show(id).Messages[1].Answer; !strings.Contains(got, "it stays") {
		t.Errorf("the file after a resume: %q", got)
	}
	if now := b.worktree(id); now != tree {
		t.Errorf("worktree %s, was %s", now, tree)
	}
	if now := b.agents(filepath.Join(b.dir, "state")); len(first) > 0 && len(now) > 0 && now[0].pid == first[0].pid {
		t.Error("the agent was resumed hot")
	}
	if n := strings.Count(b.transcript(id), `"text":"write kept.txt it stays"`); n != 1 {
		t.Errorf("the first message is recorded %d times", n)
	}
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	b.wantRuns(id, "start paused", "resume paused", "teardown completed")
	for _, r := range b.show(id).Runs {
		if r.Record != "complete" {
			t.Errorf("record of run %s: %s", r.ID, r.Record)
		}
	}
}

// Blaise owns the state (A4), and says what each means (A5).
func TestA4_A5_StateIsBlaisesAndExplained(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	b.kill(b.daemon("state"), syscall.SIGKILL)
	b.goneDaemon("state")
	if s := b.show(id); s.Environment.State != blaise.EnvOpen || !strings.Contains(s.Environment.Meaning, "run has it open") {
		t.Errorf("environment without a daemon: %+v", s.Environment)
	}
	b.why(string(id), blaise.EnvOpen.Meaning())
	b.runner("state")
}

func TestA6_TimingKeyInTheRunnersFileIsAnError(t *testing.T) {
	b := newLab(t, "{}")
	b.write("timing.yml", demoConfig+"idle: 15m\n")
	if said := b.exits(2, "runner", "check", "--config", filepath.Join(b.dir, "timing.yml")); !strings.Contains(said, "policy.idle") {
		t.Errorf("it does not say where the setting lives: %s", said)
	}
}

// A stop has a reason, binds when it is confirmed, and the run exits (A7).
func TestA7_StopWithReason(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	pid := b.runPID()
	b.run("pause", string(id), "--reason", "lunch")
	b.environment(id, blaise.EnvPaused)
	b.await("run gone", func() bool { return zombie(pid) })
	if r := b.lastRun(id); r.Reason != "lunch" || r.Outcome != blaise.RunPaused {
		t.Errorf("run %+v", r)
	}
}

// A run that is dead with its daemon is lost after its lease; the next message
// resumes on another (A8).
func TestA8_DeadRunnerHoldsNoSession(t *testing.T) {
	b := newLab(t, "{policy: {lease: {beat: 100ms, misses: 10}}}")
	id := b.start("hello")
	b.answered(id, 1)
	run := b.runPID()
	b.kill(b.daemon("state"), syscall.SIGKILL)
	b.kill(run, syscall.SIGKILL)
	b.environment(id, blaise.EnvUnattended)
	b.state(id, blaise.SessionPaused)
	b.goneDaemon("state")
	b.runner("state")
	b.say(id, "recall")
	b.answered(id, 2)
	b.wantRuns(id, "start lost", "resume ")
}

func TestA9_PolicyHoldsForTheNextIdleSession(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	pid := b.daemon("state")
	b.policy("{policy: {idle: {after: 1s}}}")
	b.environment(id, blaise.EnvPaused)
	if b.daemon("state") != pid {
		t.Error("the runner was restarted")
	}
}

// The idle clock stands still in a turn (A11), then runs; idle.then decides (A10).
func TestA10_A11_IdleStandsStillInATurnThenEnds(t *testing.T) {
	b := newLab(t, "{policy: {idle: {after: 300ms, then: end}}}")
	id := b.start("sleep 2")
	b.answered(id, 1)
	s := b.environment(id, blaise.EnvDestroyed)
	if took := s.Messages[0].AnsweredAt.Sub(*s.Messages[0].DeliveredAt); took < 2*time.Second {
		t.Errorf("the turn took %s", took)
	}
	if s.Outcome != blaise.OutcomeSucceeded || s.Reason != "idle" {
		t.Errorf("session %s: %s", s.Outcome, s.Reason)
	}
	b.wantRuns(id, "start torn_down")
}

func TestA14_AgentThatCannotLoadBeginsAnew(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("forget")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "hello")
	b.answered(id, 2)
	if s := b.show(id); s.Context != blaise.ContextNone || s.Environment.Generation != 1 {
		t.Errorf("context %s, generation %d", s.Context, s.Environment.Generation)
	}
	b.says(id, "new conversation")
}

// A session that is paused too long ends and is torn down (A15).
func TestA15_PausedTooLong(t *testing.T) {
	b := newLab(t, "{policy: {maxPaused: 1s}}")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("pause", string(id))
	s := b.environment(id, blaise.EnvDestroyed)
	if s.Outcome != blaise.OutcomeSucceeded || !strings.Contains(s.Reason, "policy.maxPaused") {
		t.Errorf("session %s: %s", s.Outcome, s.Reason)
	}
	b.history(id, "clock:max_paused", "set by ")
}

// A live run tears down in its own process, its work saved before (A16).
func TestA16_LiveRunTearsDownItself(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	tree := b.worktree(id)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	b.wantRuns(id, "start torn_down")
	if _, err := os.Stat(tree); err == nil {
		t.Error("the worktree is still there")
	}
	if len(b.saved(id)) == 0 {
		t.Error("the work was not saved")
	}
}

// An end needs a run that receives it; else nothing has changed (A18).
func TestA18_EndWhileRunning(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("hello")
	b.answered(id, 1)
	run := b.runPID()
	b.kill(run, syscall.SIGSTOP)
	said := b.fails(5, "end", string(id))
	if s := b.show(id); s.State == blaise.SessionEnded || s.Environment.State != blaise.EnvOpen {
		t.Errorf("a failed end changed the session: %s, %s (%s)", s.State, s.Environment.State, said)
	}
	b.kill(run, syscall.SIGCONT)
	b.run("end", string(id))
	b.state(id, blaise.SessionEnded)
	b.environment(id, blaise.EnvDestroyed)
	if said := b.fails(4, "say", string(id), "more"); !strings.Contains(said, "--again "+string(id)) {
		t.Errorf("no hint how to go on without saved work: %s", said)
	}
}
