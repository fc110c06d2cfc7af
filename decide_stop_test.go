package blaise_test

import (
	"testing"
	"time"

	"blaise.dev/blaise"
)

func TestA7_StopBindsWhenItIsReceived(t *testing.T) {
	st := begin(t).idles()
	st.wantsVerdict(st.event(blaise.EventPauseAsked), blaise.VerdictPending)
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	if d := st.stop(); !d.Stop.MayResume || d.Stop.By != "ann" || d.Stop.Directive != d.N {
		t.Fatalf("stop %+v", d.Stop)
	}
	n := st.stop().N
	st.wantsVerdict(st.hears(), blaise.VerdictGo)
	st.wants(blaise.EnvPausing, blaise.SessionIdle)
	again := st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: n})
	st.wantsVerdict(again, blaise.VerdictGo)
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.lastRun(blaise.RunPaused)
}

func TestA7_StopNotReceivedInTimeIsVoid(t *testing.T) {
	st := begin(t).idles()
	st.event(blaise.EventEndAsked)
	n := st.stop().N
	st.fires(blaise.ClockReceipt)
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	if st.stop() != nil || st.clock(blaise.ClockIdle) == nil {
		t.Fatalf("it left something behind: %+v", st.s)
	}
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: n}), blaise.VerdictVoid)
	st.event(blaise.EventEndAsked) // A18: can be repeated
	st.pass(blaise.StopReceipt + time.Second)
	st.wantsVerdict(st.hears(), blaise.VerdictVoid)
	st.outcome("")
}

func TestA7_IdleStopIsOvertakenByAMessage(t *testing.T) {
	st := begin(t).idles()
	st.fires(blaise.ClockIdle)
	n := st.stop().N
	second := st.post("second")
	if st.stop() != nil || len(st.last.Void) != 1 || st.last.Void[0] != n {
		t.Fatalf("the stop stands: %+v, void %v", st.s.Directives, st.last.Void)
	}
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: n}), blaise.VerdictVoid)
	if got := st.claim(); got != second {
		t.Fatalf("claimed %s", got)
	}
}

func TestA7_MessageDuringAnIdleEndTurnsItIntoExit(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.IdleThen = blaise.ThenEnd }).idles()
	st.fires(blaise.ClockIdle)
	st.wantsVerdict(st.hears(), blaise.VerdictGo)
	st.outcome("")
	st.post("second")
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionQueued)
	st.offers(blaise.RunResume, "r1")
}

func TestA7_IdleEndTearsDown(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.IdleThen = blaise.ThenEnd }).idles()
	st.fires(blaise.ClockIdle)
	st.hears()
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown)
	st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
	st.outcome(blaise.OutcomeSucceeded)
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown) // its answer was lost
	st.event(blaise.EventDestroyed)
	st.lastRun(blaise.RunTornDown)
}

func TestA10_PlugThatCannotResumeEndsTheSession(t *testing.T) {
	st := begin(t).idles(transient...)
	st.fires(blaise.ClockIdle)
	if d := st.stop(); d.Stop.MayResume || !d.Stop.Ends {
		t.Fatalf("stop %+v", d.Stop)
	}
	st.hears()
	st.wantsVerdict(st.pauses(transient...), blaise.VerdictTeardown)
	st.outcome(blaise.OutcomeSucceeded)
}

func TestA10_PolicyPausesAPlugThatCannotResumeWithAWarning(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.IdleCannotResume = blaise.ThenPause }).idles(transient...)
	st.fires(blaise.ClockIdle)
	st.hears()
	st.wantsVerdict(st.pauses(transient...), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.told("plug box (sandbox): it lives in memory")
}

func TestA10_BlaiseDecidesAgainWhenThePauseIsReported(t *testing.T) {
	st := begin(t).idles()
	st.fires(blaise.ClockIdle)
	st.hears()
	st.wantsVerdict(st.pauses(append(resumable, transient...)...), blaise.VerdictTeardown)
	st.outcome(blaise.OutcomeSucceeded)
	st.recorded("session", "cannot be resumed")
}

func TestA10_PauseThatNobodyAskedForIsOverruled(t *testing.T) {
	st := begin(t).idles()
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	st.recorded("run:abcd1234.1", "ignored")
}

func TestA16_EndWhileAliveTearsDownInItsOwnProcess(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.do(blaise.Event{Kind: blaise.EventEndAsked, Reason: "done"})
	st.hears()
	st.wants(blaise.EnvPausing, blaise.SessionEnded)
	st.message(first, blaise.MessageCancelled)
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: first, Result: blaise.MessageCancelled})
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown)
	st.event(blaise.EventDestroyed)
	st.wants(blaise.EnvDestroyed, blaise.SessionEnded)
	st.outcome(blaise.OutcomeSucceeded)
}

func TestA17_EndWhilePausedOffersATeardownRun(t *testing.T) {
	st := begin(t).paused()
	st.wantsVerdict(st.event(blaise.EventEndAsked), blaise.VerdictDone)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.offers(blaise.RunTeardown, "r1")
	st.connect()
	st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
	st.event(blaise.EventDestroyed)
	st.lastRun(blaise.RunCompleted)
	st.wants(blaise.EnvDestroyed, blaise.SessionEnded)
}

func TestA18_EndIsCompleteWithTheReceipt(t *testing.T) {
	st := begin(t).idles()
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventEndAsked, Reason: "done"}), blaise.VerdictPending)
	st.outcome("")
	st.wantsVerdict(st.hears(), blaise.VerdictGo)
	st.outcome(blaise.OutcomeSucceeded)
	st.wants(blaise.EnvPausing, blaise.SessionEnded)
	st.refuses(blaise.Event{Kind: blaise.EventMessagePosted, Text: "more"}, blaise.CodeRefused, "blaise start --from abcd1234")
	st.refuses(blaise.Event{Kind: blaise.EventEndAsked}, blaise.CodeRefused, "already ended")
}

func TestA18_EndWithNoRunToHearItChangesNothing(t *testing.T) {
	st := begin(t)
	st.accept()
	st.refuses(blaise.Event{Kind: blaise.EventEndAsked}, blaise.CodeUnreachable, "no run connected to receive the stop")
	st.event(blaise.EventRunConnected)
	st.s.Run.UnreachableSince = st.now
	st.refuses(blaise.Event{Kind: blaise.EventEndAsked}, blaise.CodeUnreachable, "nothing has changed")
	st.s.Run.UnreachableSince = time.Time{}
	st.wantsVerdict(st.event(blaise.EventEndAsked), blaise.VerdictPending)
}

func TestA18_EndBeforeAnythingRanIsCancelled(t *testing.T) {
	st := begin(t)
	st.wantsVerdict(st.event(blaise.EventEndAsked), blaise.VerdictDone)
	st.outcome(blaise.OutcomeCancelled)
	st.lastRun(blaise.RunCancelled)
	st.message("abcd1234.m1", blaise.MessageFailed)
	st.wants(blaise.EnvNone, blaise.SessionEnded)
	if len(st.s.Clocks) != 0 {
		t.Errorf("clocks run on: %+v", st.s.Clocks)
	}
}

func TestA18_AnEndOutranksAPause(t *testing.T) {
	st := begin(t).idles()
	st.event(blaise.EventPauseAsked)
	pause := st.stop().N
	st.event(blaise.EventEndAsked)
	if d := st.stop(); !d.Stop.Ends || len(st.last.Void) != 1 || st.last.Void[0] != pause {
		t.Fatalf("stop %+v, void %v", d, st.last.Void)
	}
	end := st.stop().N
	st.wantsVerdict(st.event(blaise.EventEndAsked), blaise.VerdictPending)
	if st.stop().N != end {
		t.Error("a second end replaced the first")
	}
	st.refuses(blaise.Event{Kind: blaise.EventPauseAsked}, blaise.CodeRefused, "being ended")
}

func TestA18_EndDuringAPauseIsHeard(t *testing.T) {
	for _, heard := range []bool{true, false} {
		st := begin(t).idles()
		st.event(blaise.EventPauseAsked)
		st.hears()
		st.wantsVerdict(st.event(blaise.EventEndAsked), blaise.VerdictPending)
		if heard {
			st.wantsVerdict(st.hears(), blaise.VerdictGo)
			st.outcome(blaise.OutcomeSucceeded)
		}
		st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown)
		st.outcome(blaise.OutcomeSucceeded)
	}
}

func TestA12_PauseAskedInATurnCancelsIt(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
	st.message(first, blaise.MessageCancelled)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.refuses(blaise.Event{Kind: blaise.EventPauseAsked}, blaise.CodeRefused, "no run to pause")
}

func TestA15_PausedLongerThanAllowedEnds(t *testing.T) {
	st := begin(t).paused()
	c := st.clock(blaise.ClockMaxPaused)
	if c == nil || c.Setting != "policy.maxPaused = 7d (agent demo, revision 3; the default)" {
		t.Fatalf("clock %+v", c)
	}
	st.fires(blaise.ClockMaxPaused)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.outcome(blaise.OutcomeSucceeded)
	st.offers(blaise.RunTeardown, "r1")
	st.recorded("session", "policy.maxPaused")
}

func TestA19_TeardownIsTriedAgainThenOrphaned(t *testing.T) {
	st := begin(t).paused()
	st.event(blaise.EventEndAsked)
	for _, delay := range []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour} {
		st.connect()
		st.do(blaise.Event{Kind: blaise.EventTeardownFailed, Reason: "disk busy"})
		st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
		if c := st.clock(blaise.ClockTeardown); c == nil || c.DueAt.Sub(st.now) != delay || st.s.Run != nil {
			t.Fatalf("clock %+v, run %+v; want %s", c, st.s.Run, delay)
		}
		st.fires(blaise.ClockTeardown)
		st.offers(blaise.RunTeardown, "r1")
	}
	st.connect()
	st.event(blaise.EventRunDead) // a lost run is a failed try too
	st.wants(blaise.EnvOrphaned, blaise.SessionEnded)
	st.outcome(blaise.OutcomeSucceeded)
	if n := st.last.News; len(n) != 1 || n[0].Kind != blaise.NewsEnvironmentOrphaned || n[0].Environment != st.s.Environment.ID {
		t.Errorf("news %+v", n)
	}
	if st.s.Session.Failures != 0 || st.s.Environment.LastError == "" {
		t.Errorf("failures %d, last error %q", st.s.Session.Failures, st.s.Environment.LastError)
	}
	st.event(blaise.EventTeardownRetry)
	st.offers(blaise.RunTeardown, "r1")
	if st.s.Environment.Teardowns != 0 {
		t.Errorf("not a new series: %d", st.s.Environment.Teardowns)
	}
}

func TestA19_TeardownMayBeForcedWithAReason(t *testing.T) {
	st := begin(t).paused()
	st.refuses(blaise.Event{Kind: blaise.EventTeardownRetry}, blaise.CodeRefused, "no teardown")
	st.event(blaise.EventEndAsked)
	st.refuses(blaise.Event{Kind: blaise.EventTeardownRetry, Force: true}, blaise.CodeInvalid, "reason")
	st.do(blaise.Event{Kind: blaise.EventTeardownRetry, Force: true, Reason: "nothing worth keeping"})
	if !st.s.Environment.Forced || st.s.Environment.ForcedWhy != "nothing worth keeping" {
		t.Errorf("environment %+v", st.s.Environment)
	}
}

func TestX4_DestroyedMeansThatTheLedgerIsEmpty(t *testing.T) {
	st := begin(t).opens()
	r := &blaise.Resource{Plug: "src", Kind: "worktree", Name: "/w", Where: "m1"}
	st.do(blaise.Event{Kind: blaise.EventResourceIntended, Resource: r})
	st.do(blaise.Event{Kind: blaise.EventResourceIntended, Resource: r})
	if n := len(st.s.Environment.Resources); n != 1 {
		t.Fatalf("%d resources", n)
	}
	branch := &blaise.Resource{Plug: "src", Kind: "branch", Name: "b", Where: "m1"}
	st.do(blaise.Event{Kind: blaise.EventResourceIntended, Resource: branch})
	st.event(blaise.EventSignalled)
	st.do(blaise.Event{Kind: blaise.EventResourceGone, Resource: r})
	if all := st.s.Environment.Resources; !all[0].Gone || all[1].Gone {
		t.Fatalf("resources %+v", all)
	}
	st.event(blaise.EventDestroyed)
	if !st.s.Environment.Resources[1].Gone {
		t.Error("still there")
	}
}
