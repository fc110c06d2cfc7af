package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

func TestC29_EndTurnAfterACancel(t *testing.T) {
	s := acptest.Script{Burst: 1, WaitForCancel: true, CancelStop: "end_turn"}
	both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
		ended := p.begin()
		p.wait(1)
		if err := p.Cancel("s1"); err != nil {
			t.Fatal(err)
		}
		if e := <-ended; e.err != nil || e.StopReason != acp.StopCancelled || e.Reported != "end_turn" {
			t.Errorf("got %+v", e)
		}
	})
}

// A second answer to a prompt, at once or after the next prompt, ends nothing.
func TestC30_AnswerToASettledCall(t *testing.T) {
	both(t, acptest.Script{Burst: 1, AnswerTwice: true}, acp.Options{}, func(t *testing.T, p *peer) {
		for range 5 {
			p.mustPrompt("end_turn")
		}
		eventually(t, func() bool { return p.Stats().Unmatched == 5 })
	})
}

func TestC31_NoCancelWhileIdle(t *testing.T) {
	both(t, acptest.Script{Burst: 1}, acp.Options{}, func(t *testing.T, p *peer) {
		for range 3 {
			if err := p.Cancel("s1"); err != nil {
				t.Fatal(err)
			}
			p.mustPrompt("end_turn")
		}
		if strings.Contains(p.text(), "idle") {
			t.Error("the agent got a cancel while idle")
		}
	})
}

func TestC33_CancelAnswersWhatIsAsked(t *testing.T) {
	asked := make(chan struct{}, 10)
	waiting := func() *recorder {
		return &recorder{permit: func(ctx context.Context, _ acp.PermissionRequest) acp.PermissionOutcome {
			asked <- struct{}{}
			<-ctx.Done()
			return acp.PermissionOutcome{OptionID: "yes"}
		}}
	}
	s := acptest.Script{Permissions: 3, WaitForCancel: true, AskLate: true}
	bothWith(t, s, acp.Options{}, waiting, func(t *testing.T, p *peer) {
		ended := p.begin()
		for range 3 {
			<-asked
		}
		eventually(t, func() bool { return p.Stats().Lines >= 3 }) // its own three
		if err := p.Cancel("s1"); err != nil {
			t.Fatal(err)
		}
		<-ended
		if got := strings.Count(p.text(), `"cancelled"`); got != 4 || strings.Contains(p.text(), "yes") {
			t.Errorf("the agent got %q, want four cancelled", p.text())
		}
	})
}

// The last question is answered first, and each exactly once.
func TestC35_ParallelQuestionsInAnyOrder(t *testing.T) {
	const n = 8
	handler := func() *recorder {
		turns := make(chan chan struct{}, n)
		var open atomic.Int32
		return &recorder{permit: func(_ context.Context, q acp.PermissionRequest) acp.PermissionOutcome {
			mine := make(chan struct{})
			turns <- mine
			if open.Add(1) == n { // the last one lets the others go, one after the other
				close(turns)
				for other := range turns {
					close(other)
				}
			}
			<-mine
			return q.Choose(q.ToolCall.ID != "c0", false)
		}}
	}
	bothWith(t, acptest.Script{Permissions: n}, acp.Options{}, handler, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		if yes, no := strings.Count(p.text(), `"yes"`), strings.Count(p.text(), `"no"`); yes != n-1 || no != 1 {
			t.Errorf("the agent got %d yes and %d no", yes, no)
		}
	})
}

func TestC36_AnswersAreChosenByKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ options, want string }{
		"a rejection is first": {`[{"optionId":"r","kind":"reject_once"},{"optionId":"a","kind":"allow_once"}]`, `"a"`},
		"only a standing one":  {`[{"optionId":"a","kind":"allow_always"},{"optionId":"r","kind":"reject_once"}]`, "cancelled"},
		"no kind is known":     {`[{"optionId":"yes","kind":"approve"}]`, "cancelled"},
		"none":                 {`[]`, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			s := acptest.Script{Permissions: 1, Options: json.RawMessage(c.options)}
			both(t, s, acp.Options{}, func(t *testing.T, p *peer) {
				p.mustPrompt("end_turn")
				if !strings.Contains(p.text(), c.want) {
					t.Errorf("the agent got %q, want %s", p.text(), c.want)
				}
			})
		})
	}
}

func TestC39_DeathInATurnIsToldAtOnce(t *testing.T) {
	both(t, acptest.Script{Burst: 2, ExitInPrompt: true}, acp.Options{}, func(t *testing.T, p *peer) {
		var died *acp.DiedError
		if _, err := p.prompt(); !errors.As(err, &died) || died.Written != acp.Sent || p.count() != 2 {
			t.Errorf("got %v after %d updates", err, p.count())
		}
		if _, err := p.prompt(); !errors.As(err, &died) || died.Written != acp.Unsent {
			t.Errorf("the dead connection was used again: %v", err)
		}
	})
}

// P30: a question of a session that nobody here began would reach nobody. It is
// answered at once.
func TestP30_QuestionOfAnUnknownSession(t *testing.T) {
	handler := func() *recorder {
		return &recorder{permit: func(context.Context, acp.PermissionRequest) acp.PermissionOutcome {
			t.Error("somebody was asked")
			return acp.PermissionOutcome{}
		}}
	}
	s := acptest.Script{Permissions: 2, AskAs: "sub-agent"}
	bothWith(t, s, acp.Options{}, handler, func(t *testing.T, p *peer) {
		p.mustPrompt("end_turn")
		if strings.Count(p.text(), "is not one of this client") != 2 {
			t.Errorf("the agent got %q", p.text())
		}
	})
}

// What is asked of a person ends with the turn: the handler is told, and what
// it then answers, a cancel, is sent.
func TestCancelEndsAnElicitation(t *testing.T) {
	asked := make(chan struct{}, 4)
	handler := func() *recorder {
		return &recorder{request: func(ctx context.Context, method string) (any, error) {
			asked <- struct{}{}
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), acp.ErrCancelled) {
				return nil, context.Cause(ctx)
			}
			return acp.ElicitResult(acp.ElicitCancel, json.RawMessage(`{"never":"sent"}`)), nil
		}}
	}
	s := acptest.Script{Ask: acp.MethodElicit, WaitForCancel: true}
	bothWith(t, s, acp.Options{}, handler, func(t *testing.T, p *peer) {
		ended := p.begin()
		<-asked
		if err := p.Cancel("s1"); err != nil {
			t.Fatal(err)
		}
		if e := <-ended; !e.Cancelled {
			t.Errorf("got %+v", e)
		}
		eventually(t, func() bool { return strings.Contains(p.text(), `{"action":"cancel"}`) })
	})
}
