package blaise_test

import (
	"testing"
	"time"

	"blaise.dev/blaise"
)

// A choice stays until the agent has taken it, over any number of runs.
func TestSettingsAreWantedUntilTaken(t *testing.T) {
	st := begin(t).opens()
	st.do(blaise.Event{Kind: blaise.EventSettingsChosen, Set: map[string]string{"model": "big", "mode": "plan"}})
	if len(st.last.Issue) != 1 || st.last.Issue[0].Kind != blaise.DirectiveSet || st.last.Issue[0].Set["model"] != "big" {
		t.Fatalf("issued %+v", st.last.Issue)
	}
	st.do(blaise.Event{
		Kind: blaise.EventConversation, Run: st.s.Run.ID, Conversation: &blaise.Conversation{ACP: "a"},
		Set: map[string]string{"model": "big", "mode": "another"},
	})
	if w := st.s.Session.Wanted; len(w) != 1 || w["mode"] != "plan" {
		t.Fatalf("wanted %v", w)
	}
	st.do(blaise.Event{Kind: blaise.EventSettingsChosen, Set: map[string]string{"mode": ""}})
	if st.s.Session.Wanted != nil {
		t.Fatalf("wanted %v", st.s.Session.Wanted)
	}
	st.refuses(blaise.Event{Kind: blaise.EventSettingsChosen}, blaise.CodeInvalid, "nothing is chosen")

	st = begin(t).paused()
	st.do(blaise.Event{Kind: blaise.EventSettingsChosen, Set: map[string]string{"model": "big"}})
	if len(st.last.Issue) != 0 || st.s.Session.Wanted["model"] != "big" {
		t.Fatalf("issued %+v, wanted %v", st.last.Issue, st.s.Session.Wanted)
	}
	st.event(blaise.EventEndAsked)
	st.refuses(blaise.Event{Kind: blaise.EventSettingsChosen, Set: map[string]string{"model": "b"}},
		blaise.CodeRefused, "has ended")
}

// B8: what a turn has used is added up; time in which it waits on a person, or
// its run is not heard, costs nothing.
func TestB8UsageAndActiveTime(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.pass(time.Minute)
	st.do(blaise.Event{Kind: blaise.EventQuestionAsked, Run: st.s.Run.ID, Key: "k", Ask: &blaise.Question{
		Key: "k", Kind: "permission", Title: "May I?", Turn: st.s.Run.Turn,
		Options: []blaise.Option{{ID: "y", Kind: "allow_once"}},
	}})
	if st.s.Session.State != blaise.SessionParked || st.s.Session.Active != time.Minute {
		t.Fatalf("%s, active %s", st.s.Session.State, st.s.Session.Active)
	}
	st.pass(time.Hour)
	st.do(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: st.s.Questions[0].ID, Choice: "y"})
	st.do(blaise.Event{Kind: blaise.EventQuestionApplied, Run: st.s.Run.ID, Question: "", Key: "k"})
	st.pass(time.Minute)
	turn := blaise.Usage{Input: 5, Output: 2, Total: 7, Cost: 0.5, Currency: "USD", ContextUsed: 9, ContextSize: 100}
	st.do(blaise.Event{
		Kind: blaise.EventTurnEnded, Run: st.s.Run.ID, Message: st.s.Run.Turn,
		Result: blaise.MessageAnswered, Usage: &turn,
	})
	if st.s.Session.Usage != turn || st.s.Session.Active != 2*time.Minute {
		t.Fatalf("used %+v, active %s", st.s.Session.Usage, st.s.Session.Active)
	}
	if got := st.s.Session.Usage.Plus(turn); got.Total != 14 || got.Cost != 1 || got.ContextUsed != 9 {
		t.Errorf("two such turns: %+v", got)
	}
}
