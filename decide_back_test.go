package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

func (st *story) comesBack(run blaise.RunID) {
	st.t.Helper()
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventRunBack, Run: run}), blaise.VerdictGo)
	if r := st.s.Run; r == nil || r.ID != run || r.Outcome != "" || !r.EndedAt.IsZero() {
		st.t.Fatalf("run %+v", r)
	}
}

// A lost run that comes back is where it was: opening, stopping, tearing down,
// in its turn (X2).
func TestX2_TakenBackWhereItWas(t *testing.T) {
	st := begin(t).connect()
	st.fires(blaise.ClockLost)
	st.comesBack("abcd1234.1")
	st.wants(blaise.EnvCreating, blaise.SessionQueued)

	st = begin(t).idles()
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.fires(blaise.ClockLost)
	st.comesBack("abcd1234.1")
	if st.s.Run.State != blaise.RunStopping {
		t.Errorf("run %+v", st.s.Run)
	}
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)

	st = begin(t).paused()
	st.event(blaise.EventEndAsked)
	st.connect()
	st.fires(blaise.ClockLost)
	st.comesBack("abcd1234.2")
	st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
	if n := st.s.Environment.Teardowns; n != 0 {
		t.Errorf("%d tries failed", n)
	}

	st = begin(t).opens()
	first := st.claim()
	st.fires(blaise.ClockLost)
	st.comesBack("abcd1234.1")
	if m := st.message(first, blaise.MessageDelivered); m.Run != "abcd1234.1" || m.Resume || st.clock(blaise.ClockSilenceWarn) == nil {
		t.Errorf("message %+v, clocks %+v", m, st.s.Clocks)
	}
	st.comesBack("abcd1234.1") // its answer was lost
}

// A turn that was given up with the run is over when the run comes back (X2).
func TestX2_TakenBackWithoutItsTurn(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.OnInterruptedTurn = blaise.ReactFail }).opens()
	first := st.claim()
	st.fires(blaise.ClockLost)
	st.message(first, blaise.MessageFailed)
	st.comesBack("abcd1234.1")
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
}

// Not taken back: a run of a held session, one that never connected, one before
// the last (X2, B11).
func TestX2_NotTakenBack(t *testing.T) {
	back := func(n int) blaise.Event {
		return blaise.Event{Kind: blaise.EventRunBack, Run: blaise.SessionID("abcd1234").Run(n)}
	}
	st := begin(t).idles()
	st.fires(blaise.ClockLost)
	st.event(blaise.EventHeld)
	st.refuses(back(1), blaise.CodeStale, "stop now")

	st = begin(t).idles()
	st.event(blaise.EventRunDead)
	st.post("second")
	st.accept()
	st.fires(blaise.ClockConnect)
	st.refuses(back(2), blaise.CodeStale, "stop now")

	st = begin(t).idles()
	st.event(blaise.EventRunDead)
	st.post("second")
	st.opens()
	st.fires(blaise.ClockLost)
	st.refuses(back(1), blaise.CodeStale, "stop now")
}
