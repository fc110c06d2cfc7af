package blaise_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

func (st *story) drains(timeout time.Duration) {
	st.t.Helper()
	st.do(blaise.Event{Kind: blaise.EventDrainAsked, Until: st.now.Add(timeout), Reason: "the runner drains"})
}

func (st *story) stopAsked() blaise.Stop {
	st.t.Helper()
	for _, d := range st.s.Directives {
		if d.Kind == blaise.DirectiveStop {
			return *d.Stop
		}
	}
	st.t.Fatalf("no stop is on its way: %+v", st.s.Directives)
	return blaise.Stop{}
}

func (st *story) noStop() {
	st.t.Helper()
	for _, d := range st.s.Directives {
		if d.Kind == blaise.DirectiveStop {
			st.t.Fatalf("a stop is on its way: %+v", d.Stop)
		}
	}
}

func TestX11_DrainPausesAnIdleRunWhateverIdleThenSays(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.IdleThen = blaise.ThenEnd }).idles()
	st.drains(time.Minute)
	if stop := st.stopAsked(); stop.Ends || !stop.MayResume {
		t.Fatalf("the stop of a drain: %+v", stop)
	}
	st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: st.s.Directives[0].N})
	st.do(blaise.Event{Kind: blaise.EventPauseReported, Plugs: resumable, Clean: true})
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
}

func TestX11_DrainLetsTheTurnEndAndGivesNoOther(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	second := st.post("second")
	st.drains(time.Minute)
	st.noStop()
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: first, Result: blaise.MessageAnswered})
	st.stopAsked()
	st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: st.s.Directives[0].N})
	st.do(blaise.Event{Kind: blaise.EventPauseReported, Plugs: resumable, Clean: true})
	st.message(second, blaise.MessageQueued)
	st.offers(blaise.RunResume, "r1")
}

func TestX11_DrainCancelsWhatIsOpenAfterTheTimeout(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.drains(time.Minute)
	st.fires(blaise.ClockDrain)
	st.stopAsked()
	st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: st.s.Directives[0].N})
	st.do(blaise.Event{Kind: blaise.EventPauseReported, Plugs: resumable, Clean: true})
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	for _, m := range st.done {
		if m.ID == first && m.State != blaise.MessageCancelled {
			t.Fatalf("message %+v", m)
		}
	}
}

func TestX11_DrainCancelsParkedTurnsAtOnce(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.do(blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{Key: "k", Kind: "permission", Title: "May I?"}})
	st.drains(time.Minute)
	st.stopAsked()
}

func TestX11_DrainAsksAgainWhenTheStopIsNotReceived(t *testing.T) {
	st := begin(t).idles()
	st.drains(time.Minute)
	st.fires(blaise.ClockReceipt)
	st.stopAsked()
}

func TestA20_StopByHandPausesWithoutBlaise(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.do(blaise.Event{Kind: blaise.EventLocalStop, Plugs: resumable, Clean: true, Reason: "by hand"})
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.lastRun(blaise.RunPaused)
	if st.s.Session.Failures != 0 {
		t.Fatalf("it counts as a failure: %d", st.s.Session.Failures)
	}
	st.post("second")
	st.offers(blaise.RunResume, "r1")
}

func TestA20_StopByHandOfWhatCannotResumeOwesATeardown(t *testing.T) {
	st := begin(t).idles()
	st.do(blaise.Event{Kind: blaise.EventLocalStop, Plugs: transient, Clean: true})
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.offers(blaise.RunTeardown, "r1")
}

func TestX11_RunnerForOneRunCannotResume(t *testing.T) {
	st := begin(t)
	st.do(blaise.Event{Kind: blaise.EventRunAccepted, Runner: "r1", Instance: "i1", Machine: "m1", Ephemeral: true})
	st.event(blaise.EventRunConnected)
	st.do(blaise.Event{Kind: blaise.EventOpened, Plugs: resumable})
	m := st.claim()
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: m, Result: blaise.MessageAnswered})
	st.fires(blaise.ClockIdle)
	if stop := st.stopAsked(); !stop.Ends || !strings.Contains(stop.Reason, "one run") {
		t.Fatalf("the stop of the idle clock: %+v", stop)
	}
}

func TestA19_TeardownRetryIsASetting(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.TeardownRetry = []time.Duration{time.Second} }).paused()
	st.event(blaise.EventEndAsked)
	for range 2 {
		st.connect()
		st.do(blaise.Event{Kind: blaise.EventTeardownFailed, Reason: "no"})
		if st.s.Environment.State == blaise.EnvTeardownWaiting {
			st.fires(blaise.ClockTeardown)
		}
	}
	st.wants(blaise.EnvOrphaned, blaise.SessionEnded)
}

func TestA21_IncompleteRecordIsSaidOnce(t *testing.T) {
	st := begin(t).idles()
	st.do(blaise.Event{Kind: blaise.EventRunFailed, Reason: "no", Record: "incomplete: 1 of 2 events missing"})
	st.do(blaise.Event{Kind: blaise.EventDestroyed, Record: "incomplete: 1 of 3 events missing"})
	gaps := 0
	for _, text := range st.said {
		if strings.Contains(text, "is incomplete") {
			gaps++
		}
	}
	if gaps != 1 || st.gone[len(st.gone)-1].Record != "incomplete: 1 of 3 events missing" {
		t.Fatalf("%d gaps told, %+v", gaps, st.gone)
	}
}

// A drain that is asked again changes nothing; a run that has not connected is
// stopped when it has, one that stops already is not told (X11).
func TestX11_DrainStopsOnceWhenTheRunCanHearIt(t *testing.T) {
	st := begin(t)
	st.accept()
	st.drains(time.Minute)
	st.noStop()
	st.pass(time.Second)
	due := st.clock(blaise.ClockDrain).DueAt
	v := st.do(blaise.Event{Kind: blaise.EventDrainAsked, Until: st.now.Add(time.Hour)})
	st.wantsVerdict(v, blaise.VerdictVoid)
	if c := st.clock(blaise.ClockDrain); !c.DueAt.Equal(due) {
		t.Errorf("the timeout moved from %s to %s", due, c.DueAt)
	}
	st.event(blaise.EventRunConnected)
	st.stopAsked()

	st = begin(t).idles()
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.drains(time.Minute)
	st.noStop()

	st = begin(t).idles()
	st.do(blaise.Event{Kind: blaise.EventDrainAsked, Run: "abcd1234.7", Until: st.now})
	st.noStop() // that run is not here any more
}

// A stop by hand says what is saved, whatever the run was doing: a pause is a
// pause, and a teardown that it cuts off is a failed try (A20, X5, A19).
func TestA20_StopByHandOfARunThatStops(t *testing.T) {
	st := begin(t).idles()
	st.do(blaise.Event{Kind: blaise.EventWorkSaved, Clean: true})
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventLocalStop, Plugs: resumable, Saved: &blaise.SavedWork{N: 3}}), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	if st.s.Environment.Clean || st.s.Save.N != 3 {
		t.Errorf("clean %t, save %+v", st.s.Environment.Clean, st.s.Save)
	}

	st = begin(t).idles()
	st.event(blaise.EventSignalled)
	st.do(blaise.Event{Kind: blaise.EventLocalStop, Plugs: resumable, Clean: true})
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	if n := st.s.Environment.Teardowns; n != 1 {
		t.Errorf("%d tries failed", n)
	}
}

// A stop of a runner that goes for good says so, also one that was on its way
// already: the work must be with Blaise when it is gone (A31, X5).
func TestA31_StopOfARunnerThatGoesForGoodSaysSo(t *testing.T) {
	leaves := blaise.Event{Kind: blaise.EventDrainAsked, Reason: "the runner is revoked", Leaves: true}
	st := begin(t).idles()
	st.do(leaves)
	if stop := st.stopAsked(); !stop.Leaves {
		t.Errorf("stop %+v", stop)
	}
	st = begin(t).idles()
	st.drains(time.Minute)
	before := st.stopAsked()
	if before.Leaves {
		t.Errorf("a drain: %+v", before)
	}
	st.wantsVerdict(st.do(leaves), blaise.VerdictDone)
	if stop := st.stopAsked(); !stop.Leaves || stop.Directive == before.Directive || stop.Reason != before.Reason {
		t.Errorf("stop %+v after %+v", stop, before)
	}
	st.wantsVerdict(st.do(leaves), blaise.VerdictVoid)
}

// A runner that goes for good takes down what sleeps there: its work must be with
// Blaise before (A31, X5).
func TestA31_WhatSleepsIsTakenDownBeforeItsRunnerGoes(t *testing.T) {
	st := begin(t).paused()
	st.s.Save = blaise.SavedWork{N: 1, Ref: "refs/blaise/abcd1234/1", Repo: "/src"}
	leaves := blaise.Event{Kind: blaise.EventRunnerLeaves, Runner: "r1", Reason: "runner laptop goes for good"}
	st.do(blaise.Event{Kind: blaise.EventRunnerLeaves, Runner: "r2"})
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.do(leaves)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionQueued)
	st.offers(blaise.RunTeardown, "r1")
	st.do(blaise.Event{Kind: blaise.EventRunAccepted, Runner: "r1", Instance: "i1", Machine: "m1", Leaves: true})
	if !st.s.Unsent() {
		t.Error("a save that its runner alone has counts as sent")
	}
	st.event(blaise.EventRunConnected)
	st.do(blaise.Event{Kind: blaise.EventWorkSaved, Saved: &blaise.SavedWork{N: 2, Ref: "refs/blaise/abcd1234/2", Bundle: "sum"}})
	if st.s.Unsent() {
		t.Error("a save that Blaise has counts as unsent")
	}
	st.event(blaise.EventDestroyed)
	st.wants(blaise.EnvDestroyed, blaise.SessionPaused)
	st.post("second")
	st.offers(blaise.RunStart, "")
	st.opens()
	st.told("from the last saved work, refs/blaise/abcd1234/2")
	st.told("runner laptop goes for good")
}

func TestA31_WhatIsHeldStaysWhenItsRunnerGoes(t *testing.T) {
	st := begin(t).paused()
	st.event(blaise.EventHeld)
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventRunnerLeaves, Runner: "r1"}), blaise.VerdictVoid)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
}
