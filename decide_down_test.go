package blaise_test

import (
	"testing"
	"time"

	"blaise.dev/blaise"
)

// A person's pause outranks the idle clock's end, and says who wants it; there
// is none of a run that stops already (A7, A12).
func TestA7_APersonOutranksTheIdleClock(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.IdleThen = blaise.ThenEnd }).idles()
	st.fires(blaise.ClockIdle)
	st.event(blaise.EventPauseAsked)
	if d := st.stop(); d.Stop.Ends || d.Stop.Reason != "paused by ann" {
		t.Fatalf("stop %+v", d.Stop)
	}
	st.hears()
	st.refuses(blaise.Event{Kind: blaise.EventPauseAsked}, blaise.CodeRefused, "no run to pause")
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
	st.outcome("")
}

// Only the receipt of the stop that stands binds, by whatever call it comes; one
// that comes too late takes the stop away (A7).
func TestA7_OnlyItsOwnReceiptBinds(t *testing.T) {
	st := begin(t).idles()
	st.event(blaise.EventPauseAsked)
	n := st.stop().N
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: n + 7}), blaise.VerdictVoid)
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventReceived, Directive: n}), blaise.VerdictGo)
	st.wants(blaise.EnvPausing, blaise.SessionIdle)

	st = begin(t).idles()
	st.event(blaise.EventPauseAsked)
	st.pass(blaise.StopReceipt + time.Second)
	st.wantsVerdict(st.hears(), blaise.VerdictVoid)
	if st.stop() != nil {
		t.Error("the stop stands")
	}
}

// What a run says it has saved counts, with each of its last words (X5).
func TestX5_LastWordsSayWhatIsSaved(t *testing.T) {
	st := begin(t).idles()
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.do(blaise.Event{Kind: blaise.EventPauseReported, Plugs: resumable, Clean: true, Saved: &blaise.SavedWork{N: 1}})
	if !st.s.Environment.Clean || st.s.Save.N != 1 {
		t.Errorf("clean %t, save %+v", st.s.Environment.Clean, st.s.Save)
	}
	st.event(blaise.EventEndAsked)
	for n, kind := range []blaise.EventKind{blaise.EventTeardownFailed, blaise.EventDestroyed} {
		st.connect()
		st.do(blaise.Event{Kind: kind, Saved: &blaise.SavedWork{N: n + 2}})
		if st.s.Save.N != n+2 {
			t.Errorf("%s: save %+v", kind, st.s.Save)
		}
		if kind == blaise.EventTeardownFailed {
			st.event(blaise.EventTeardownRetry) // A19: a person need not wait for the clock
			st.offers(blaise.RunTeardown, "r1")
		}
	}
}

// A message that waits when a runner leaves that was there for one run is
// answered elsewhere, in an environment made anew (X11, A22).
func TestX11_MessageToARunnerThatLeavesIsAnsweredElsewhere(t *testing.T) {
	st := begin(t)
	st.do(blaise.Event{Kind: blaise.EventRunAccepted, Runner: "r1", Instance: "i1", Machine: "m1", Ephemeral: true})
	st.event(blaise.EventRunConnected)
	st.do(blaise.Event{Kind: blaise.EventOpened, Plugs: resumable})
	st.claim()
	st.ends(blaise.MessageAnswered)
	st.fires(blaise.ClockIdle)
	st.hears()
	second := st.post("second")
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown)
	st.message(second, blaise.MessageQueued)
	st.event(blaise.EventDestroyed)
	st.offers(blaise.RunStart, "")
	st.opens()
	st.told("its runner is there for one run")
}

// An end during the teardown of a broken environment is done at once: no stop
// has to be heard (A18, A22).
func TestA18_EndDuringATeardownIsAtOnce(t *testing.T) {
	st := begin(t).paused()
	second := st.post("second")
	st.connect()
	st.event(blaise.EventPlugFailed)
	st.wantsVerdict(st.event(blaise.EventEndAsked), blaise.VerdictDone)
	st.message(second, blaise.MessageFailed)
	st.event(blaise.EventDestroyed)
	st.wants(blaise.EnvDestroyed, blaise.SessionEnded)
}

// A signal to a run that tears down already is no news, a failure is a failed
// try; a run that has touched nothing just ends (A20, A23, A19).
func TestA20_SignalDuringATeardown(t *testing.T) {
	st := begin(t).idles()
	for range 2 {
		st.wantsVerdict(st.event(blaise.EventSignalled), blaise.VerdictTeardown)
		st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
		if st.s.Run.State != blaise.RunStopping {
			t.Errorf("run %+v", st.s.Run)
		}
	}
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit) // nobody asked for it
	st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
	st.wantsVerdict(st.event(blaise.EventRunFailed), blaise.VerdictExit)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.outcome(blaise.OutcomeCancelled)

	st = begin(t)
	st.accept()
	st.s.Run.State = blaise.RunConnected // and its environment has not moved
	st.wantsVerdict(st.event(blaise.EventSignalled), blaise.VerdictExit)
	st.wants(blaise.EnvNone, blaise.SessionEnded)
	st.outcome(blaise.OutcomeCancelled)
	st.lastRun(blaise.RunCancelled)
}

// Nobody marks an environment destroyed under a run that makes the next (A31).
func TestA31_MarkDestroyedUnderTheNextRun(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.do(blaise.Event{Kind: blaise.EventRunnerRevoked, Runner: "r1"})
	st.accept()
	st.refuses(blaise.Event{Kind: blaise.EventMarkDestroyed, Reason: "scrap"}, blaise.CodeRefused, "is making another")
}

// A message that comes during the pause is answered by the next run, though a
// plug may not resume; the pause says whether all is saved, whatever was said
// before (A7, A10, X5).
func TestA10_MessageOutranksAPlugThatCannotResume(t *testing.T) {
	st := begin(t).idles(transient...)
	st.do(blaise.Event{Kind: blaise.EventWorkSaved, Clean: true})
	st.fires(blaise.ClockIdle)
	st.hears()
	st.post("second")
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventPauseReported, Plugs: transient}), blaise.VerdictExit)
	st.offers(blaise.RunResume, "r1")
	st.told("Paused although it may not resume")
	if st.s.Environment.Clean {
		t.Error("it is clean, and the pause said that it is not")
	}
}
