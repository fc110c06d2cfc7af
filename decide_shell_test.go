package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// shell has ann ask for a shell.
func (st *story) shell() blaise.Verdict {
	st.t.Helper()
	return st.do(blaise.Event{Kind: blaise.EventShellAsked, By: "ann", Key: "k1", Reason: "make test"})
}

// X5: a sleeping session is opened for a shell by a run of its own, which never
// gets a message and is not idle.
func TestShellOfAPausedSession(t *testing.T) {
	st := begin(t).paused()
	st.wantsVerdict(st.shell(), blaise.VerdictPending)
	st.offers(blaise.RunShell, "r1")
	st.wantsVerdict(st.shell(), blaise.VerdictPending)
	st.recorded("run:abcd1234.2", "ann: make test")
	st.opens()
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	st.wantsVerdict(st.shell(), blaise.VerdictDone)
	if st.clock(blaise.ClockIdle) != nil {
		t.Error("the idle clock runs beside a person's shell")
	}
	st.event(blaise.EventLocalStop)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.lastRun(blaise.RunPaused)
}

func TestShellGivesWayToAMessage(t *testing.T) {
	st := begin(t).paused()
	st.shell()
	st.post("before it was taken")
	st.offers(blaise.RunResume, "r1")

	st = begin(t).paused()
	st.shell()
	st.opens()
	st.post("go on")
	if stop := st.stop(); stop == nil || !stop.Stop.MayResume {
		t.Fatalf("the run for a shell is not told to pause: %+v", stop)
	}
	st.hears()
	st.pauses()
	st.offers(blaise.RunResume, "r1")
}

// However a run for a shell ends, the environment and the session stay, and A24
// does not count it.
func TestShellDestroysNothing(t *testing.T) {
	for kind, want := range map[blaise.EventKind]blaise.EnvironmentState{
		blaise.EventPlugFailed: blaise.EnvUnattended, blaise.EventRunFailed: blaise.EnvUnattended,
		blaise.EventSignalled: blaise.EnvUnattended, blaise.EventRunDead: blaise.EnvUnattended,
		blaise.EventRefused: blaise.EnvPaused,
	} {
		t.Run(string(kind), func(t *testing.T) {
			st := begin(t).paused()
			for range 4 {
				st.shell()
				st.connect()
				st.wantsVerdict(st.event(kind), blaise.VerdictExit)
				st.wants(want, blaise.SessionPaused)
			}
			st.post("still there")
			st.offers(blaise.RunResume, "r1")
		})
	}
	t.Run("it does not start", func(t *testing.T) {
		st := begin(t).paused()
		st.shell()
		st.accept()
		st.event(blaise.EventSpawnFailed)
		st.wants(blaise.EnvPaused, blaise.SessionPaused)
	})
	t.Run("opening takes too long", func(t *testing.T) {
		st := begin(t).paused()
		st.shell()
		st.connect()
		st.fires(blaise.ClockOpen)
		st.hears()
		st.wantsVerdict(st.pauses(), blaise.VerdictExit)
		st.wants(blaise.EnvPaused, blaise.SessionPaused)
	})
}

func TestShellThatNobodyWaitsForIsWithdrawn(t *testing.T) {
	st := begin(t).paused()
	st.shell()
	st.do(blaise.Event{Kind: blaise.EventShellClosed, By: "ann", Key: "k1", Reason: "no runner came"})
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	if st.s.Run != nil {
		t.Fatalf("run %+v is still offered", st.s.Run)
	}
}

func TestShellIsRefusedWithAReason(t *testing.T) {
	asked := blaise.Event{Kind: blaise.EventShellAsked, By: "ann", Key: "k1"}
	st := begin(t).paused()
	st.do(blaise.Event{Kind: blaise.EventHeld})
	st.refuses(asked, blaise.CodeRefused, "is held")
	st.do(blaise.Event{Kind: blaise.EventReleased})
	st.do(blaise.Event{Kind: blaise.EventEndAsked, By: "ann"})
	st.refuses(asked, blaise.CodeRefused, "it has ended")

	st = begin(t, func(p *blaise.Policy) { p.Disabled = true })
	st.refuses(asked, blaise.CodeRefused, "its agent is disabled")

	st = begin(t).paused()
	st.shell()
	st.do(blaise.Event{Kind: blaise.EventHeld})
	if st.s.Run != nil {
		t.Error("a held session offers a run for a shell")
	}
}
