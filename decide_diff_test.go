package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// A live run is asked to look at what it changed once at a time; the look moves
// no clock, and stands in no history.
func TestDiffAsked(t *testing.T) {
	st := begin(t)
	st.wantsVerdict(st.event(blaise.EventDiffAsked), blaise.VerdictNone)
	st.opens()
	clocks, history := len(st.s.Clocks), len(st.all)
	for range 2 {
		st.wantsVerdict(st.event(blaise.EventDiffAsked), blaise.VerdictPending)
	}
	looks := 0
	for _, d := range st.s.Directives {
		if d.Kind == blaise.DirectiveDiff {
			looks++
		}
	}
	if looks != 1 || len(st.s.Clocks) != clocks || len(st.all) != history {
		t.Errorf("%d looks, %d clocks of %d, %v", looks, len(st.s.Clocks), clocks, st.all[history:])
	}
	st = begin(t).paused()
	st.wantsVerdict(st.event(blaise.EventDiffAsked), blaise.VerdictNone)
	if st.s.Run != nil {
		t.Error("a run is offered for it")
	}
}
