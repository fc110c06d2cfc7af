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
