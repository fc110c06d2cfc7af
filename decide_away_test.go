package blaise_test

import (
	"slices"
	"testing"
	"time"

	"blaise.dev/blaise"
)

// away lets time pass in which Blaise is not there.
func (st *story) away(d time.Duration) (serving time.Time) {
	st.pass(d)
	return st.now
}

func (st *story) firesWhile(kind blaise.ClockKind, serving time.Time) blaise.Verdict {
	st.t.Helper()
	return st.do(blaise.Event{Kind: blaise.EventClockFired, Clock: *st.clock(kind), By: "clock", Serving: serving})
}

// What fell due while Blaise was away fires once it has listened, in the order
// in which it fell due, and once (P14, X2, X7).
func TestX2_WhatFellDueWhileBlaiseWasAwayWaitsForItsReach(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.ExpiresAfter = 2 * time.Hour }).idles()
	serving := st.away(5 * time.Hour)
	for _, kind := range []blaise.ClockKind{blaise.ClockExpires, blaise.ClockIdle} {
		st.wantsVerdict(st.firesWhile(kind, serving), blaise.VerdictVoid)
		st.recorded("clock:"+string(kind), "Blaise was away")
	}
	idle, expires := st.clock(blaise.ClockIdle).DueAt, st.clock(blaise.ClockExpires).DueAt
	reach := serving.Add(st.s.Policy.Reach())
	if !idle.Before(expires) || idle.Before(serving) || expires.After(reach) || st.stop() != nil {
		t.Fatalf("idle fires at %s, expires at %s, with %s to be heard", idle, expires, reach)
	}
	st.now = idle
	st.wantsVerdict(st.firesWhile(blaise.ClockIdle, serving), blaise.VerdictDone)
	if st.stop() == nil {
		t.Fatal("idle did not stop the session")
	}
}

func TestX2_AMessageOvertakesWhatFellDueWhileBlaiseWasAway(t *testing.T) {
	st := begin(t).paused()
	serving := st.away(8 * 24 * time.Hour)
	st.wantsVerdict(st.firesWhile(blaise.ClockMaxPaused, serving), blaise.VerdictVoid)
	st.post("still there?")
	st.offers(blaise.RunResume, "r1")
}

// A silence that Blaise was not there to hear counts from its return (X2, B5).
func TestX2_SilenceIsCountedFromBlaisesReturn(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.SilenceStalled = 20 * time.Minute }).opens()
	first := st.claim()
	serving := st.away(time.Hour)
	for _, kind := range []blaise.ClockKind{blaise.ClockLost, blaise.ClockSilenceWarn, blaise.ClockStalled} {
		st.wantsVerdict(st.firesWhile(kind, serving), blaise.VerdictVoid)
	}
	st.message(first, blaise.MessageDelivered)
	p := st.s.Policy
	for kind, want := range map[blaise.ClockKind]time.Duration{
		blaise.ClockLost: p.LostAfter(), blaise.ClockSilenceWarn: p.SilenceWarn, blaise.ClockStalled: p.SilenceStalled,
	} {
		if c := st.clock(kind); !c.DueAt.Equal(serving.Add(want)) {
			t.Errorf("clock %s fires at %s, want %s after %s", kind, c.DueAt, want, serving)
		}
	}
}

// What waits because Blaise was away runs no longer than before: were the time
// wrong by which it was away, setting it right does not leave it waiting.
func TestX2_WhatWaitsKeepsItsLength(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.MaxPaused = time.Minute }).paused()
	paused := st.now
	serving := st.away(90 * time.Minute)
	st.wantsVerdict(st.firesWhile(blaise.ClockMaxPaused, serving), blaise.VerdictVoid)
	if c := st.clock(blaise.ClockMaxPaused); c.Span() != time.Minute {
		t.Errorf("it runs for %s, want a minute", c.Span())
	}
	st.now = paused
	st.event(blaise.EventClockSetBack)
	if c := st.clock(blaise.ClockMaxPaused); c.DueAt.After(paused.Add(time.Minute)) {
		t.Errorf("a minute's pause of %s ends at %s", paused, c.DueAt)
	}
}

// A teardown that is owed, and a stop that nobody received, wait for nobody.
func TestX2_WhatWaitsForNobodyFiresAtOnce(t *testing.T) {
	st := begin(t).idles()
	st.event(blaise.EventEndAsked)
	serving := st.away(time.Hour)
	st.wantsVerdict(st.firesWhile(blaise.ClockReceipt, serving), blaise.VerdictDone)
	if st.stop() != nil {
		t.Error("the stop stands")
	}
}

// The clock of the machine is set back: nothing waits for the wrong time to come
// again, and nothing fires before its length is over.
func TestClockSetBackBeginsAnewWhatBeganInTheFuture(t *testing.T) {
	st := begin(t).idles()
	st.pass(-3 * time.Hour)
	st.event(blaise.EventClockSetBack)
	st.recorded("clock:idle", "set back")
	c := *st.clock(blaise.ClockIdle)
	if want := st.now.Add(15 * time.Minute); !c.Since.Equal(st.now) || !c.DueAt.Equal(want) {
		t.Fatalf("idle runs from %s to %s, want to %s", c.Since, c.DueAt, want)
	}
	st.pass(time.Minute).event(blaise.EventClockSetBack)
	if again := *st.clock(blaise.ClockIdle); again != c || len(st.last.History) != 0 {
		t.Errorf("a clock that is right was moved to %s", again.DueAt)
	}
}

func TestB11_ReleaseTakesNoTimeAwayWhenTheClockWasSetBack(t *testing.T) {
	st := begin(t).paused()
	due := st.clock(blaise.ClockMaxPaused).DueAt
	st.event(blaise.EventHeld)
	st.pass(-time.Hour).event(blaise.EventReleased)
	if got := st.clock(blaise.ClockMaxPaused).DueAt; got.Before(due) {
		t.Errorf("due at %s, was %s", got, due)
	}
}

// A length that is off is never, not at once: the session stays idle, and a run
// that never connects is left to its lease.
func TestAClockThatIsOffDoesNotRun(t *testing.T) {
	never := func(p *blaise.Policy) { p.IdleAfter, p.ConnectTimeout = 0, 0 }
	neverPaused := func(p *blaise.Policy) { p.MaxPaused = 0 }
	taken := begin(t, never)
	taken.accept()
	for _, st := range []*story{taken, begin(t, never).idles(), begin(t, neverPaused).paused()} {
		for _, c := range st.s.Clocks {
			if slices.Contains([]blaise.ClockKind{blaise.ClockIdle, blaise.ClockConnect, blaise.ClockMaxPaused}, c.Kind) {
				t.Errorf("clock %+v", c)
			}
		}
	}
}
