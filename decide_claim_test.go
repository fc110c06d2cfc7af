package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// A claim says which run has the message, in which turn and since when; from
// then on the environment holds work that is not saved (X1, X5).
func TestX1_ClaimIsShown(t *testing.T) {
	st := begin(t).idles()
	st.do(blaise.Event{Kind: blaise.EventWorkSaved, Saved: &blaise.SavedWork{N: 1, Ref: "refs/blaise/abcd1234/1"}, Clean: true})
	if !st.s.Environment.Clean {
		t.Fatal("the save does not count")
	}
	st.post("second")
	m := st.message(st.claim(), blaise.MessageDelivered)
	if m.Run != "abcd1234.1" || m.Turn != 2 || !m.DeliveredAt.Equal(st.now) {
		t.Errorf("message %+v", m)
	}
	if st.s.Environment.Clean {
		t.Error("a turn that began has left the environment clean")
	}
}

// Nothing is given to a run that stops or is held, nor is a message that waits
// for a person's word (X1, A7, A23).
func TestX1_NotGivenAway(t *testing.T) {
	claim := blaise.Event{Kind: blaise.EventTurnClaimed, Message: "abcd1234.m1"}
	st := begin(t).opens()
	st.event(blaise.EventPauseAsked)
	st.hears()
	st.refuses(claim, blaise.CodeRefused, "takes no message")

	st = begin(t).opens()
	st.event(blaise.EventHeld)
	st.refuses(claim, blaise.CodeRefused, "is held")

	st = begin(t, func(p *blaise.Policy) { p.OnInterruptedTurn = blaise.ReactAsk }).opens()
	st.claim()
	st.ends(blaise.MessageInterrupted)
	st.refuses(claim, blaise.CodeRefused, "does not wait")
}

// The end of a turn that is not the open one changes nothing (X1, A21).
func TestX1_EndOfAnotherTurnIsIgnored(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	second := st.post("second")
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: second, Result: blaise.MessageAnswered})
	st.message(second, blaise.MessageQueued)
	st.message(first, blaise.MessageDelivered)
	st.wants(blaise.EnvOpen, blaise.SessionWorking)
}
