package blaise_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// A teardown run whose process cannot be started, or that is refused, is a
// failed try of the teardown, and no run of the session's (A19, A25, A22).
func TestA19_TeardownRunThatDoesNotBeginIsAFailedTry(t *testing.T) {
	for _, kind := range []blaise.EventKind{blaise.EventSpawnFailed, blaise.EventRefused} {
		st := begin(t).paused()
		st.event(blaise.EventEndAsked)
		st.accept()
		if kind == blaise.EventRefused {
			st.event(blaise.EventRunConnected)
		}
		st.wantsVerdict(st.do(blaise.Event{Kind: kind, Reason: "no memory"}), blaise.VerdictExit)
		st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
		if env := st.s.Environment; env.Teardowns != 1 || st.clock(blaise.ClockTeardown) == nil || st.s.Session.Failures != 0 {
			t.Errorf("%s: %d tries, clocks %+v, failures %d", kind, env.Teardowns, st.s.Clocks, st.s.Session.Failures)
		}
	}
}

// A run that is refused before it has connected leaves its environment as it
// is; one that could not give back what it had begun to make leaves it to the
// next, which starts it (A22, A24).
func TestA22_RefusedRunThatLeftSomething(t *testing.T) {
	st := begin(t)
	st.accept()
	st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "no such agent"})
	st.wants(blaise.EnvNone, blaise.SessionQueued)
	st.event(blaise.EventRetryAsked)
	st.connect()
	r := &blaise.Resource{Plug: "src", Kind: "worktree", Name: "/w", Where: "m1"}
	st.do(blaise.Event{Kind: blaise.EventResourceIntended, Resource: r})
	st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "no such agent"})
	st.wants(blaise.EnvUnattended, blaise.SessionQueued)
	st.event(blaise.EventRetryAsked)
	st.offers(blaise.RunStart, "r1")
	st.connect()
	gone := *r
	st.do(blaise.Event{Kind: blaise.EventResourceGone, Resource: &gone})
	st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "no such agent"})
	st.wants(blaise.EnvNone, blaise.SessionEnded) // the third failure in a row
}

// After the third failure in a row a session that has an environment owes its
// teardown, and one that has ended is not counted (A24).
func TestA24_GivingUpOwesATeardown(t *testing.T) {
	st := begin(t).paused()
	st.post("second")
	for range 3 {
		st.connect()
		st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "blaise.yml:3: no such key"})
		if st.s.Session.Outcome == "" {
			st.event(blaise.EventRetryAsked)
		}
	}
	st.outcome(blaise.OutcomeFailed)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.offers(blaise.RunTeardown, "r1")
	st.connect()
	st.event(blaise.EventRunDead)
	if st.s.Session.Failures != 3 {
		t.Errorf("failures %d", st.s.Session.Failures)
	}
}

// What is refused for what the session asks, as a branch that another has, waits
// as long as a person likes: trying again is no failure (A22, A24).
func TestA24_RefusedForWhatIsAskedIsNotCounted(t *testing.T) {
	st := begin(t)
	for range 4 {
		st.connect()
		st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "branch feature is held by efgh5678", Chosen: true})
		st.wants(blaise.EnvNone, blaise.SessionQueued)
		st.event(blaise.EventRetryAsked)
	}
	if st.s.Session.Failures != 0 {
		t.Errorf("failures %d", st.s.Session.Failures)
	}
}

// An environment that was to be recreated, whose first run is lost before it
// was open, still owes the notice; one that was open is taken up as it is (A22,
// A24).
func TestA22_NoticeOutlastsALostRun(t *testing.T) {
	st := begin(t).paused()
	st.post("second")
	st.connect()
	st.do(blaise.Event{Kind: blaise.EventPlugFailed, Reason: "the container is gone"})
	st.event(blaise.EventDestroyed)
	st.connect()
	st.event(blaise.EventRunDead)
	st.offers(blaise.RunStart, "r1")
	st.opens()
	st.told("The environment was recreated")

	st = begin(t).paused()
	st.post("second")
	st.connect()
	st.fires(blaise.ClockOpen)
	st.hears() // it was to be recreated, when it dies
	st.event(blaise.EventRunDead)
	st.opens()
	if strings.Contains(strings.Join(st.said, " "), "recreated") || st.s.Environment.Generation != 1 {
		t.Errorf("generation %d, told %q", st.s.Environment.Generation, st.said)
	}
}

// The record says when a session went to sleep and why, and when it woke (A12).
func TestA12_PauseAndResumeAreTold(t *testing.T) {
	st := begin(t).paused()
	st.told("Paused: idle")
	st.post("second")
	st.opens()
	st.told("Resumed.")
}

// A refused run tells which plugs it could not close again, and a lost one, at
// last, that its record is not whole (A21, A22).
func TestA21_LateWordsAreHeard(t *testing.T) {
	st := begin(t).connect()
	st.do(blaise.Event{Kind: blaise.EventRefused, Plugs: resumable, Reason: "no such agent"})
	st.wants(blaise.EnvUnattended, blaise.SessionQueued)

	st = begin(t).idles()
	st.event(blaise.EventRunDead)
	st.do(blaise.Event{Kind: blaise.EventLocalStop, Run: st.gone[0].ID, Clean: true, Record: "incomplete: 1 of 2 events missing"})
	st.told("The record of run abcd1234.1 is incomplete")
	if !st.s.Environment.Clean {
		t.Error("what it saved does not count")
	}
}
