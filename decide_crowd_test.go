package blaise_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

var othersWait = blaise.Event{Kind: blaise.EventOthersWait, Reason: "who waits for agent demo"}

// An idle session whose place others wait for pauses early, and the clock says
// why; when nobody waits any more it has its time again.
func TestConcurrency_IdlePausesEarlyForOthers(t *testing.T) {
	t.Parallel()
	st := begin(t).idles()
	since := st.clock(blaise.ClockIdle).Since
	st.pass(10 * time.Second)
	st.wantsVerdict(st.do(othersWait), blaise.VerdictDone)
	c := *st.clock(blaise.ClockIdle)
	want := "policy.idle.whenOthersWait = 1m0s (agent demo, revision 3; the default), for who waits for agent demo"
	if !c.DueAt.Equal(since.Add(time.Minute)) || c.Setting != want || !c.ForOthers() {
		t.Errorf("the clock is %+v, want it in a minute from %q", c, want)
	}
	st.wantsVerdict(st.do(othersWait), blaise.VerdictDone)
	if len(st.last.History) > 0 {
		t.Errorf("told twice it changed %+v", st.last.History)
	}
	st.wantsVerdict(st.event(blaise.EventOthersServed), blaise.VerdictDone)
	if c := st.clock(blaise.ClockIdle); !c.DueAt.Equal(since.Add(15*time.Minute)) || c.ForOthers() {
		t.Errorf("nobody waits, and the clock is %+v", c)
	}
	st.wantsVerdict(st.event(blaise.EventOthersServed), blaise.VerdictVoid)

	st.do(othersWait)
	st.fires(blaise.ClockIdle)
	stop := st.s.Directives[0].Stop
	if stop == nil || !stop.MayResume || stop.Ends || stop.Reason != "idle, and others wait" {
		t.Errorf("asked for %+v", stop)
	}
	st.post("more")
	if len(st.s.Directives) == 0 || st.s.Directives[0].Stop != nil {
		t.Errorf("a message did not overtake it: %+v", st.s.Directives)
	}
}

// A run that paused for others has made room; one that would have paused anyway,
// or that a message held back, has not.
func TestConcurrency_ARunThatPausedForOthersMadeRoom(t *testing.T) {
	t.Parallel()
	for _, others := range []bool{true, false} {
		st := begin(t).idles()
		if others {
			st.do(othersWait)
		}
		st.fires(blaise.ClockIdle)
		st.hears()
		st.pauses()
		if ended := st.last.Ended.Runs; len(ended) != 1 || ended[0].MadeRoom() != others {
			t.Errorf("others wait: %v, and there ended %+v", others, ended)
		}
	}
}

// Nobody is ended for others, nor hurried in a turn, nor where the agent does not
// want it.
func TestConcurrency_WhoDoesNotPauseForOthers(t *testing.T) {
	t.Parallel()
	off := time.Duration(0)
	for name, st := range map[string]*story{
		"ends when idle": begin(t, func(p *blaise.Policy) { p.IdleThen = blaise.ThenEnd }).idles(),
		"cannot resume":  begin(t).idles(transient...),
		"switched off":   begin(t, func(p *blaise.Policy) { p.OthersWait = &off }).idles(),
		"idle for less":  begin(t, func(p *blaise.Policy) { p.IdleAfter = time.Second }).idles(),
		"begins":         begin(t).opens(),
	} {
		if v := st.do(othersWait); v != blaise.VerdictVoid || len(st.last.History) > 0 {
			t.Errorf("%s: %s, %+v", name, v, st.last.History)
		}
	}
	st := begin(t).idles()
	st.do(othersWait)
	st.do(blaise.Event{Kind: blaise.EventPlugRecorded, Plugs: transient})
	st.fires(blaise.ClockIdle)
	if c := st.clock(blaise.ClockIdle); c == nil || c.ForOthers() || strings.Contains(c.Setting, "others") || len(st.s.Directives) > 0 {
		t.Errorf("what cannot be resumed any more is ended for others: %+v, %+v", c, st.s.Directives)
	}
}
