package blaise_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

func TestX1_SameKeyIsTheSameMessage(t *testing.T) {
	st := begin(t)
	st.do(blaise.Event{Kind: blaise.EventMessagePosted, Text: "two", Key: "k"})
	before := len(st.all)
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventMessagePosted, Text: "two", Key: "k"}), blaise.VerdictDone)
	if st.s.Session.Messages != 2 || len(st.all) != before {
		t.Errorf("%d messages", st.s.Session.Messages)
	}
	st.refuses(blaise.Event{Kind: blaise.EventMessagePosted, Text: " \n"}, blaise.CodeInvalid, "empty")
}

func TestX1_OneTurnPerMessageInOrder(t *testing.T) {
	st := begin(t)
	second := st.post("second")
	st.opens()
	if len(st.s.Directives) != 1 || st.s.Directives[0].Message != "abcd1234.m1" {
		t.Fatalf("directives %+v", st.s.Directives)
	}
	st.refuses(blaise.Event{Kind: blaise.EventTurnClaimed, Message: second}, blaise.CodeRefused, "not the next")
	st.do(blaise.Event{Kind: blaise.EventReceived, Directive: st.s.Directives[0].N})
	if len(st.s.Directives) != 0 || len(st.last.Issue) != 0 {
		t.Fatalf("prompted twice: %+v", st.s.Directives)
	}
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventTurnClaimed, Message: "abcd1234.m1"}), blaise.VerdictGo)
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventTurnClaimed, Message: "abcd1234.m1"}), blaise.VerdictGo)
	st.wants(blaise.EnvOpen, blaise.SessionWorking)
	st.refuses(blaise.Event{Kind: blaise.EventTurnClaimed, Message: second}, blaise.CodeRefused, "turn is open")
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: "abcd1234.m1", Result: blaise.MessageAnswered,
		Text: "here", StopReason: "end_turn"})
	if m := st.message("abcd1234.m1", blaise.MessageAnswered); m.Answer != "here" || m.Turn != 1 || m.Stop != "end_turn" {
		t.Errorf("message %+v", m)
	}
	v := st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: "abcd1234.m1", Result: blaise.MessageFailed})
	st.wantsVerdict(v, blaise.VerdictDone)
	if got := st.claim(); got != second {
		t.Fatalf("claimed %s", got)
	}
}

func TestX1_QueuedMessageCanBeWithdrawn(t *testing.T) {
	st := begin(t).opens()
	prompt := st.s.Directives[0].N
	st.do(blaise.Event{Kind: blaise.EventMessageWithdrawn, Message: "abcd1234.m1"})
	st.message("abcd1234.m1", blaise.MessageWithdrawn)
	if len(st.last.Void) != 1 || st.last.Void[0] != prompt {
		t.Errorf("void %v", st.last.Void)
	}
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	st.refuses(blaise.Event{Kind: blaise.EventMessageWithdrawn, Message: "abcd1234.m1"}, blaise.CodeNotFound, "")
	st.post("second")
	id := st.claim()
	st.refuses(blaise.Event{Kind: blaise.EventMessageWithdrawn, Message: id}, blaise.CodeRefused, "blaise cancel")
}

func TestX1_WithdrawnBeforeItsRunWasTakenWithdrawsTheOffer(t *testing.T) {
	st := begin(t)
	st.do(blaise.Event{Kind: blaise.EventMessageWithdrawn, Message: "abcd1234.m1"})
	st.lastRun(blaise.RunCancelled)
	st.wants(blaise.EnvNone, blaise.SessionPaused)
}

func TestX1_InterruptAndSendNow(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	second := st.post("second")
	st.do(blaise.Event{Kind: blaise.EventMessagePosted, Text: "third", Now: true})
	if d := st.last.Issue; len(d) != 1 || d[0].Kind != blaise.DirectiveCancel || d[0].Message != first {
		t.Fatalf("issued %+v", d)
	}
	st.ends(blaise.MessageCancelled)
	if got := st.claim(); got == second {
		t.Fatal("the second goes before the one sent now")
	}
}

func TestX1_InterruptedTurnGoesOnInTheNextRun(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.event(blaise.EventRunDead)
	if m := st.message(first, blaise.MessageInterrupted); !m.Resume {
		t.Fatalf("message %+v", m)
	}
	st.opens()
	if d := st.s.Directives[0]; !d.GoOn || d.Repeat != 1 || d.Message != first {
		t.Fatalf("prompt %+v", d)
	}
	st.claim()
	if m := st.message(first, blaise.MessageDelivered); m.Repeats != 1 {
		t.Errorf("repeats %d", m.Repeats)
	}
}

func TestA23_OnInterruptedTurnFails(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.OnInterruptedTurn = blaise.ReactFail }).opens()
	first := st.claim()
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: first, Result: blaise.MessageInterrupted, Reason: "agent_died"})
	if m := st.message(first, blaise.MessageFailed); m.Reason != "agent_died" {
		t.Errorf("reason %q", m.Reason)
	}
}

func TestA23_OnInterruptedTurnAsks(t *testing.T) {
	for choice, want := range map[string]blaise.MessageState{
		"continue": blaise.MessageInterrupted, "fail": blaise.MessageFailed,
	} {
		st := begin(t, func(p *blaise.Policy) { p.OnInterruptedTurn = blaise.ReactAsk }).opens()
		first := st.claim()
		st.event(blaise.EventRunDead)
		st.wants(blaise.EnvUnattended, blaise.SessionParked)
		if st.s.Run != nil {
			t.Fatal("a run is offered before the answer")
		}
		st.post("second")
		if st.s.Run != nil {
			t.Fatal("the second message overtakes the first")
		}
		st.do(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: "abcd1234.q1", Choice: choice})
		st.message(first, want)
		st.offers(blaise.RunResume, "r1")
	}
}

func ask(key string) blaise.Event {
	return blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{
		Key: key, Kind: "permission", Title: "Run rm?",
		Options: []blaise.Option{{ID: "y", Name: "Yes", Kind: "allow_once"}, {ID: "n", Name: "No", Kind: "reject_once"}},
	}}
}

func TestB6_QuestionParksTheTurn(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	if st.clock(blaise.ClockSilenceWarn) == nil {
		t.Fatal("nobody watches the turn")
	}
	st.do(ask("p1"))
	st.do(ask("p1")) // sent again
	st.wants(blaise.EnvOpen, blaise.SessionParked)
	if len(st.s.Questions) != 1 || st.clock(blaise.ClockSilenceWarn) != nil || st.clock(blaise.ClockQuestion) == nil {
		t.Fatalf("questions %+v, clocks %+v", st.s.Questions, st.s.Clocks)
	}
	st.refuses(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: "abcd1234.q9"}, blaise.CodeNotFound, "")
	st.refuses(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: "abcd1234.q1", Choice: "x"}, blaise.CodeInvalid, "y, n")
	st.do(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: "abcd1234.q1", Choice: "y", By: "ann"})
	if d := st.last.Issue; len(d) != 1 || d[0].Kind != blaise.DirectiveAnswer || d[0].Choice != "y" || d[0].Key != "p1" {
		t.Fatalf("issued %+v", d)
	}
	st.wants(blaise.EnvOpen, blaise.SessionWorking)
	if st.clock(blaise.ClockSilenceWarn) == nil {
		t.Error("nobody watches the turn after the answer")
	}
	st.refuses(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: "abcd1234.q1", Choice: "n"}, blaise.CodeRefused, "answered by ann: Yes")
	st.do(blaise.Event{Kind: blaise.EventQuestionApplied, Question: "abcd1234.q1"})
	if q := st.last.Ended.Questions; len(q) != 1 || q[0].State != blaise.QuestionApplied {
		t.Fatalf("ended %+v", q)
	}
}

func TestB6_AnswerOvertakenByAStopStaysAnswered(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.do(ask("p1"))
	st.do(ask("p2"))
	st.do(blaise.Event{Kind: blaise.EventQuestionAnswered, Question: "abcd1234.q1", Choice: "y"})
	st.event(blaise.EventPauseAsked)
	st.hears()
	got := map[blaise.QuestionID]blaise.QuestionState{}
	for _, q := range st.last.Ended.Questions {
		got[q.ID] = q.State
	}
	if got["abcd1234.q1"] != blaise.QuestionAnswered || got["abcd1234.q2"] != blaise.QuestionExpired {
		t.Errorf("questions %v", got)
	}
	if !slices.ContainsFunc(st.last.Notices, func(n blaise.Notice) bool {
		return n.Kind == "decided" && n.Data["question"] == "p1" && n.Data["choice"] == "y" &&
			strings.HasPrefix(n.Data["reason"].(string), "answered, not applied")
	}) {
		t.Errorf("the record does not say that the answer was not applied: %+v", st.last.Notices)
	}
	st.wantsVerdict(st.do(ask("p3")), blaise.VerdictVoid) // A20: it delays nothing
}

// A run that died leaves no question open, and the record says why (B6).
func TestB6_AQuestionOfADeadRunHasExpired(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.do(ask("p1"))
	st.do(blaise.Event{Kind: blaise.EventRunDead, Run: st.s.Run.ID, Reason: "its process died"})
	if q := st.last.Ended.Questions; len(q) != 1 || q[0].State != blaise.QuestionExpired ||
		!strings.Contains(q[0].Reason, "its process died") {
		t.Fatalf("ended %+v", q)
	}
	said := st.last.Notices
	if !slices.ContainsFunc(said, func(n blaise.Notice) bool {
		return n.Kind == "decided" && n.Data["question"] == "p1"
	}) {
		t.Errorf("notices %+v", said)
	}
	st.message(first, blaise.MessageInterrupted)
}

func TestB6_UnansweredQuestionIsDeniedOrPauses(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.do(ask("p1"))
	st.fires(blaise.ClockQuestion)
	if d := st.last.Issue; len(d) != 1 || d[0].Choice != "n" {
		t.Fatalf("issued %+v", d)
	}
	st.recorded("question:abcd1234.q1", "policy.questions.after")

	st = begin(t, func(p *blaise.Policy) { p.QuestionsThen = blaise.ThenPause }).opens()
	first := st.claim()
	st.do(ask("p1"))
	st.fires(blaise.ClockQuestion)
	st.hears()
	st.pauses(resumable...)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	st.message(first, blaise.MessageCancelled)
}

func TestB5_SilenceWarnsThenStalls(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.SilenceStalled = 20 * time.Minute }).opens()
	first := st.claim()
	st.pass(9 * time.Minute).event(blaise.EventProgress)
	if c := st.clock(blaise.ClockSilenceWarn); c.DueAt.Sub(st.now) != 10*time.Minute {
		t.Fatalf("not re-armed: %+v", c)
	}
	st.fires(blaise.ClockSilenceWarn)
	st.told("silent since")
	st.told("cancelled as stalled at")
	if st.clock(blaise.ClockSilenceWarn) != nil {
		t.Fatal("warns again and again")
	}
	st.fires(blaise.ClockStalled)
	if d := st.last.Issue; len(d) != 1 || d[0].Kind != blaise.DirectiveCancel {
		t.Fatalf("issued %+v", d)
	}
	st.ends(blaise.MessageCancelled)
	if m := st.message(first, blaise.MessageInterrupted); m.Reason != "stalled" || !m.Resume {
		t.Errorf("message %+v", m)
	}
}

func TestA11_IdleClockStandsStillInATurn(t *testing.T) {
	st := begin(t).opens()
	if st.clock(blaise.ClockIdle) != nil {
		t.Fatal("idle with a message to deliver")
	}
	st.claim()
	st.pass(48 * time.Hour).event(blaise.EventProgress)
	if st.clock(blaise.ClockIdle) != nil {
		t.Fatal("idle in a turn")
	}
	st.ends(blaise.MessageAnswered)
	if c := st.clock(blaise.ClockIdle); c == nil || !c.Since.Equal(st.now) {
		t.Fatalf("idle clock %+v", c)
	}
}

func TestCancelAsked(t *testing.T) {
	st := begin(t).opens()
	st.refuses(blaise.Event{Kind: blaise.EventCancelAsked}, blaise.CodeRefused, "nothing to cancel")
	first := st.claim()
	st.event(blaise.EventCancelAsked)
	st.event(blaise.EventCancelAsked)
	if len(st.s.Directives) != 1 {
		t.Fatalf("directives %+v", st.s.Directives)
	}
	st.ends(blaise.MessageCancelled)
	if m := st.message(first, blaise.MessageCancelled); !strings.Contains(m.Reason, "ann") {
		t.Errorf("reason %q", m.Reason)
	}
}
