package blaise_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

// change is a policy_changed event with the policy that f makes of the present.
func (st *story) change(f func(*blaise.Policy)) {
	st.t.Helper()
	p := st.s.Policy
	p.Revision++
	f(&p)
	st.do(blaise.Event{Kind: blaise.EventPolicyChanged, Policy: &p})
}

func TestA9_PolicyChangeMovesTheClockThatRuns(t *testing.T) {
	st := begin(t).idles()
	since := st.clock(blaise.ClockIdle).Since
	st.pass(time.Minute).change(func(p *blaise.Policy) { p.IdleAfter = 2 * time.Minute })
	c := st.clock(blaise.ClockIdle)
	if !c.Since.Equal(since) || !c.DueAt.Equal(since.Add(2*time.Minute)) {
		t.Fatalf("idle clock %+v", c)
	}
	if c.Setting != "policy.idle.after = 2m0s (agent demo, revision 4; the default)" {
		t.Errorf("setting %q", c.Setting)
	}
	st.recorded("clock:idle", "policy.idle.after = 2m0s")
	st.fires(blaise.ClockIdle)
	if st.stop() == nil {
		t.Fatal("no stop")
	}
}

func TestA9_PolicySwitchesAClockOffAndOn(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.change(func(p *blaise.Policy) { p.SilenceWarn = 0 })
	if st.clock(blaise.ClockSilenceWarn) != nil {
		t.Fatal("the warning is on")
	}
	st.change(func(p *blaise.Policy) { p.SilenceWarn = time.Minute })
	if c := st.clock(blaise.ClockSilenceWarn); c == nil || !c.DueAt.Equal(st.now.Add(time.Minute)) {
		t.Fatalf("clock %+v", c)
	}
}

func TestA9_ClockThatWasMovedDoesNotFire(t *testing.T) {
	st := begin(t).idles()
	old := *st.clock(blaise.ClockIdle)
	st.now = old.DueAt
	st.change(func(p *blaise.Policy) { p.IdleAfter = time.Hour })
	v := st.do(blaise.Event{Kind: blaise.EventClockFired, Clock: old})
	st.wantsVerdict(v, blaise.VerdictVoid)
	if st.stop() != nil || len(st.last.History) != 0 {
		t.Errorf("it fired: %+v", st.last)
	}
}

func TestA27_DisabledAgent(t *testing.T) {
	disable := func(p *blaise.Policy) { p.Disabled = true }
	st := begin(t).opens()
	st.change(disable)
	first := st.claim() // the live run goes on
	st.ends(blaise.MessageAnswered)
	st.message(first, blaise.MessageAnswered)
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
	second := st.post("second")
	st.wants(blaise.EnvPaused, blaise.SessionQueued)
	if st.s.Run != nil || !strings.Contains(st.s.Waits(second), "disabled") {
		t.Fatalf("run %+v, waits: %s", st.s.Run, st.s.Waits(second))
	}
	st.change(func(p *blaise.Policy) { p.Disabled = false })
	st.offers(blaise.RunResume, "r1")
	st.change(disable)
	st.lastRun(blaise.RunCancelled)
	st.event(blaise.EventEndAsked)
	st.offers(blaise.RunTeardown, "r1") // teardown runs are still made
}

func TestA27_ArchivedAgentStopsIdleRunsNow(t *testing.T) {
	st := begin(t).idles()
	st.pass(time.Minute).change(func(p *blaise.Policy) { p.Archived = true })
	if c := st.clock(blaise.ClockIdle); c == nil || c.DueAt.After(st.now) {
		t.Fatalf("idle clock %+v", c)
	}
	st.refuses(blaise.Event{Kind: blaise.EventMessagePosted, Text: "more"}, blaise.CodeRefused, "archived")
	st.fires(blaise.ClockIdle)
	st.hears()
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictExit)
}

func TestA28_OrphanedEnvironmentTakesNoMessage(t *testing.T) {
	st := begin(t).paused()
	second := st.post("second")
	st.connect()
	st.do(blaise.Event{Kind: blaise.EventPlugFailed, Reason: "gone"})
	for range 4 {
		st.do(blaise.Event{Kind: blaise.EventTeardownFailed, Reason: "busy"})
		st.fires(blaise.ClockTeardown)
		st.connect()
	}
	st.do(blaise.Event{Kind: blaise.EventTeardownFailed, Reason: "busy"})
	st.wants(blaise.EnvOrphaned, blaise.SessionQueued)
	st.refuses(blaise.Event{Kind: blaise.EventMessagePosted, Text: "more"}, blaise.CodeRefused, "blaise retry-teardown abcd1234")
	if why := st.s.Waits(second); !strings.Contains(why, "retry-teardown") {
		t.Errorf("waits: %s", why)
	}
	st.do(blaise.Event{Kind: blaise.EventMarkDestroyed, Reason: "removed by hand"})
	st.offers(blaise.RunStart, "") // A22: the waiting message is still answered
}

func TestA29_MessageDuringATeardownWaitsForAFreshRun(t *testing.T) {
	st := begin(t).paused()
	second := st.post("second")
	st.connect()
	st.event(blaise.EventPlugFailed)
	st.do(blaise.Event{Kind: blaise.EventTeardownFailed, Reason: "busy"})
	third := st.post("third")
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionQueued)
	st.fires(blaise.ClockTeardown)
	st.connect()
	st.event(blaise.EventDestroyed)
	st.offers(blaise.RunStart, "")
	st.opens()
	if got := st.claim(); got != second {
		t.Fatalf("claimed %s", got)
	}
	st.ends(blaise.MessageAnswered)
	if got := st.claim(); got != third {
		t.Fatalf("claimed %s", got)
	}
}

func TestA22_SlowOpenIsABrokenResume(t *testing.T) {
	st := begin(t).paused()
	st.post("second")
	st.connect()
	st.fires(blaise.ClockOpen)
	st.wantsVerdict(st.hears(), blaise.VerdictGo)
	st.outcome("")
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown)
	st.event(blaise.EventDestroyed)
	st.offers(blaise.RunStart, "")
}

func TestA23_SlowOpenFailsAStart(t *testing.T) {
	st := begin(t)
	st.connect()
	st.fires(blaise.ClockOpen)
	st.hears()
	st.outcome(blaise.OutcomeFailed)
	st.wantsVerdict(st.pauses(), blaise.VerdictTeardown)
}

func TestB8_ExpiryEndsTheSession(t *testing.T) {
	expires := func(p *blaise.Policy) { p.ExpiresAfter = 24 * time.Hour }
	st := begin(t, expires).paused()
	st.fires(blaise.ClockExpires)
	st.outcome(blaise.OutcomeTimedOut)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)

	st = begin(t, expires).opens()
	first := st.claim()
	st.fires(blaise.ClockExpires)
	st.outcome("")
	st.fires(blaise.ClockReceipt) // not heard: it is told again
	st.fires(blaise.ClockExpires)
	st.hears()
	st.outcome(blaise.OutcomeTimedOut)
	st.message(first, blaise.MessageCancelled)
	st.wantsVerdict(st.pauses(resumable...), blaise.VerdictTeardown)
}

func TestB11_HoldFreezesAndReleaseGivesTheTimeBack(t *testing.T) {
	st := begin(t).paused()
	due := st.clock(blaise.ClockMaxPaused).DueAt
	st.pass(time.Hour).event(blaise.EventHeld)
	st.refuses(blaise.Event{Kind: blaise.EventHeld}, blaise.CodeRefused, "held already")
	second := st.post("second")
	if st.s.Run != nil || st.s.Waits(second) != "the session is held" {
		t.Fatalf("run %+v, waits: %s", st.s.Run, st.s.Waits(second))
	}
	st.do(blaise.Event{Kind: blaise.EventMessageWithdrawn, Message: second})
	c := *st.clock(blaise.ClockMaxPaused)
	st.pass(30 * 24 * time.Hour)
	v := st.do(blaise.Event{Kind: blaise.EventClockFired, Clock: c})
	st.wantsVerdict(v, blaise.VerdictVoid)
	st.refuses(blaise.Event{Kind: blaise.EventEndAsked}, blaise.CodeRefused, "blaise release")
	st.event(blaise.EventReleased)
	if got := st.clock(blaise.ClockMaxPaused).DueAt; !got.Equal(due.Add(30 * 24 * time.Hour)) {
		t.Errorf("due at %s, was %s", got, due)
	}
	st.refuses(blaise.Event{Kind: blaise.EventReleased}, blaise.CodeRefused, "not held")
}

func TestB11_HoldStopsALiveRunAndNothingIsTornDown(t *testing.T) {
	st := begin(t).opens(transient...)
	first := st.claim()
	st.do(blaise.Event{Kind: blaise.EventHeld, Reason: "to look at it"})
	st.hears()
	st.wantsVerdict(st.pauses(transient...), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionQueued)
	st.message(first, blaise.MessageInterrupted)
	if st.s.Run != nil {
		t.Fatalf("offered %+v", st.s.Run)
	}
	st.pass(time.Hour).event(blaise.EventReleased)
	st.offers(blaise.RunResume, "r1")
}

func TestB11_HeldIdleSessionIsPausedWhateverItsPlugs(t *testing.T) {
	st := begin(t).idles(transient...)
	st.event(blaise.EventHeld)
	st.hears()
	st.wantsVerdict(st.pauses(transient...), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
}

func TestB11_HeldSessionIsNotTornDownByASignal(t *testing.T) {
	for _, kind := range []blaise.EventKind{blaise.EventSignalled, blaise.EventRunFailed} {
		st := begin(t).idles()
		st.event(blaise.EventHeld)
		st.wantsVerdict(st.event(kind), blaise.VerdictExit)
		if st.s.Run != nil || st.s.Environment.State == blaise.EnvTearingDown {
			t.Fatalf("%s: environment %s, run %+v", kind, st.s.Environment.State, st.s.Run)
		}
	}
}

func TestB11_HoldWithdrawsATeardownThatIsOffered(t *testing.T) {
	st := begin(t).paused()
	st.event(blaise.EventEndAsked)
	st.event(blaise.EventHeld)
	st.lastRun(blaise.RunCancelled)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.event(blaise.EventReleased)
	st.offers(blaise.RunTeardown, "r1")
}
