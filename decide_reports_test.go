package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// Blaise owns the state of an environment: a report of what it did not ask for
// is recorded, and moves nothing (A4).
func TestA4_ReportsMoveNothingUnasked(t *testing.T) {
	st := begin(t).idles()
	for _, kind := range []blaise.EventKind{blaise.EventDestroyed, blaise.EventTeardownFailed, blaise.EventPauseReported} {
		st.wantsVerdict(st.event(kind), blaise.VerdictExit)
		st.wants(blaise.EnvOpen, blaise.SessionIdle)
	}
	st.recorded("run:abcd1234.1", "ignored: no teardown was asked for")
}

// Whatever the order of blaise.yml, a plug's record is found again by its id;
// one that is new is added (A32).
func TestA32_PlugsAreFoundAgainByID(t *testing.T) {
	src := blaise.PlugRecord{ID: "src", Use: "worktree", Opened: true, Resumable: true, Spec: []byte("use: worktree")}
	db := blaise.PlugRecord{ID: "db", Use: "exec", Opened: true, Resumable: true, HasState: true}
	more := blaise.PlugRecord{ID: "more", Use: "exec", Opened: true, Resumable: true}
	st := begin(t).idles(src, db)
	st.event(blaise.EventRunDead)
	st.post("second")
	src.Spec = nil // as it was
	st.opens(more, db, src)
	var ids string
	for _, p := range st.s.Environment.Plugs {
		ids += p.ID + " "
	}
	if ids != "src db more " {
		t.Fatalf("plugs %q", ids)
	}
	if p := st.s.Environment.Plugs[0]; string(p.Spec) != "use: worktree" {
		t.Errorf("the spec of %s was forgotten: %q", p.ID, p.Spec)
	}
}

// Counted in beats of silence: at 90 the run stops itself, at 99 what still
// lives of it is killed, at 108 Blaise declares it lost (X2).
func TestX2_StopsThenIsKilledThenIsLost(t *testing.T) {
	p := blaise.DefaultPolicy()
	if stop, kill, lost := p.StopAfter(), p.KillAfter(), p.LostAfter(); stop != 90*p.Beat || kill != 99*p.Beat || lost != 108*p.Beat {
		t.Errorf("it stops after %s, is killed after %s, is lost after %s", stop, kill, lost)
	}
}

// A run says nothing before it has connected but that it did not start, and one
// that nobody has taken says nothing at all (X2).
func TestX2_OnlyAConnectedRunReports(t *testing.T) {
	st := begin(t)
	st.refuses(blaise.Event{Kind: blaise.EventRunDead, Run: "abcd1234.1"}, blaise.CodeStale, "stop now")
	st.accept()
	st.refuses(blaise.Event{Kind: blaise.EventOpened}, blaise.CodeRefused, "has not connected")
	st.event(blaise.EventRunConnected)
	st.event(blaise.EventOpened)
	st.wants(blaise.EnvOpen, blaise.SessionQueued)
}

// What a run saved before it stopped itself counts, though it was declared lost
// meanwhile; not any more when its successor is at work (A26).
func TestA26_LastSaveOfALostRunCounts(t *testing.T) {
	for _, taken := range []bool{false, true} {
		st := begin(t).idles()
		st.fires(blaise.ClockLost)
		lost := st.gone[0].ID
		if taken {
			st.post("second")
			st.connect()
		}
		saved := &blaise.SavedWork{N: 4, Ref: "refs/blaise/abcd1234/4"}
		v := st.do(blaise.Event{Kind: blaise.EventLostContact, Run: lost, Clean: true, Saved: saved})
		st.wantsVerdict(v, blaise.VerdictExit)
		if counts := st.s.Save.N == 4 && st.s.Environment.Clean; counts == taken {
			t.Errorf("successor %t: save %+v, clean %t", taken, st.s.Save, st.s.Environment.Clean)
		}
	}
}

// The end of another runner is none of the session's business (A31).
func TestA31_AnotherRunnerIsRevoked(t *testing.T) {
	st := begin(t).paused()
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventRunnerRevoked, Runner: "r2"}), blaise.VerdictNone)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
}

// Who accepts a run first has it, and is told so again if the answer was lost;
// another is told who has it (A1, X2).
func TestA1_FirstAcceptHasTheRun(t *testing.T) {
	accept := blaise.Event{Kind: blaise.EventRunAccepted, Runner: "r1", Instance: "i1", Machine: "m1"}
	st := begin(t)
	other := accept
	other.Run = "abcd1234.7"
	st.refuses(other, blaise.CodeRefused, "is not offered")
	st.wantsVerdict(st.do(accept), blaise.VerdictGo)
	st.wantsVerdict(st.do(accept), blaise.VerdictGo)
	other = accept
	other.Instance = "i2"
	st.refuses(other, blaise.CodeRefused, "was taken by i1")
	st.event(blaise.EventRunConnected)
	st.refuses(accept, blaise.CodeRefused, "was taken by i1")
}
