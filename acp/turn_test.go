package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

func TestSecondPromptIsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Burst: 1, WaitForCancel: true}, acp.Options{})
	ended := p.begin()
	p.wait(1)
	if _, err := p.prompt(); !errors.Is(err, acp.ErrTurnOpen) {
		t.Errorf("got %v, want ErrTurnOpen", err)
	}
	if err := p.Cancel("s1"); err != nil {
		t.Fatal(err)
	}
	<-ended
	if p.Turn("s1") != acp.Idle {
		t.Errorf("got %v, want idle", p.Turn("s1"))
	}
}

func TestCancelWhileIdleSendsNothing(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Burst: 1}, acp.Options{})
	for range 3 {
		if err := p.Cancel("s1"); err != nil {
			t.Fatal(err)
		}
		p.mustPrompt("end_turn")
	}
	if strings.Contains(p.text(), "idle") {
		t.Error("the agent got a cancel while idle")
	}
}

func TestCancelOutranksWhatTheAgentSays(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]acptest.Script{
		"cancelled": {},
		"end_turn":  {CancelStop: "end_turn"},
		"error":     {CancelError: json.RawMessage(`{"code":-32603,"message":"aborted"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Burst, s.WaitForCancel = 1, true
			p := start(t, s, acp.Options{})
			ended := p.begin()
			p.wait(1)
			for range 3 { // one cancel is sent
				if err := p.Cancel("s1"); err != nil {
					t.Fatal(err)
				}
			}
			e := <-ended
			if e.err != nil || e.StopReason != acp.StopCancelled || !e.Cancelled || e.Unsent {
				t.Errorf("got %+v, want cancelled", e)
			}
			if (e.Fault != nil) != (name == "error") || (name != "error" && e.Reported != name) {
				t.Errorf("got reported %q and fault %v, want %s", e.Reported, e.Fault, name)
			}
			if strings.Contains(p.text(), "idle") {
				t.Error("the agent got a cancel while idle")
			}
		})
	}
}

func TestCancelAnswersPermissions(t *testing.T) {
	t.Parallel()
	var began atomic.Int32
	r := &recorder{}
	asked := make(chan struct{}, 10)
	r.permit = func(ctx context.Context, _ acp.PermissionRequest) acp.PermissionOutcome {
		began.Add(1)
		asked <- struct{}{}
		<-ctx.Done()
		return acp.PermissionOutcome{OptionID: "yes"}
	}
	s := acptest.Script{Permissions: 3, WaitForCancel: true, AskLate: true}
	p := connect(t, acptest.Start(t, s), r, acp.Options{})
	ended := p.begin()
	for range 3 {
		<-asked
	}
	if err := p.Cancel("s1"); err != nil {
		t.Fatal(err)
	}
	if e := <-ended; e.StopReason != acp.StopCancelled {
		t.Errorf("got %+v, want cancelled", e)
	}
	if got := strings.Count(p.text(), `"cancelled"`); got != 4 || strings.Contains(p.text(), "yes") {
		t.Errorf("the agent got %q, want four cancelled", p.text())
	}
	if began.Load() != 3 {
		t.Errorf("the handler was asked %d times, want 3", began.Load())
	}
}

func TestOutcomeNotOfferedIsCancelled(t *testing.T) {
	t.Parallel()
	r := &recorder{permit: func(context.Context, acp.PermissionRequest) acp.PermissionOutcome {
		return acp.PermissionOutcome{OptionID: "approve-everything"}
	}}
	p := connect(t, acptest.Start(t, acptest.Script{Permissions: 1}), r, acp.Options{})
	p.mustPrompt("end_turn")
	if !strings.Contains(p.text(), `{"outcome":"cancelled"}`) {
		t.Errorf("the agent got %q, want cancelled", p.text())
	}
}

func TestAbandonedPromptKeepsItsTurn(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Burst: 1, WaitForCancel: true}, acp.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Prompt(ctx, "s1", nil)
		ended <- err
	}()
	p.wait(1)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if p.Turn("s1") != acp.Prompting {
		t.Errorf("got %v, want prompting", p.Turn("s1"))
	}
	if err := p.Cancel("s1"); err != nil {
		t.Fatal(err)
	}
	if err := p.Authenticate(t.Context(), "x"); err != nil { // a round trip later
		t.Fatal(err)
	}
	if p.Turn("s1") != acp.Idle {
		t.Errorf("got %v, want idle", p.Turn("s1"))
	}
}

// A big prompt fills the pipe of an agent that has stopped reading.
func TestW6_BlockedStdin(t *testing.T) {
	t.Parallel()
	big := []acp.ContentBlock{acp.Text(strings.Repeat("x", 1<<20))}
	s := acptest.Script{StopReadingAfter: 1}
	run := func(t *testing.T, a *acptest.Agent) {
		p := connect(t, a, &recorder{}, acp.Options{WriteTimeout: 2 * time.Second})
		if err := p.Authenticate(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		torn, unsent := make(chan error, 1), make(chan turnEnd, 1)
		go func() {
			_, err := p.Prompt(context.Background(), "s1", big)
			torn <- err
		}()
		eventually(t, func() bool { return p.Turn("s1") == acp.Prompting })
		go func() {
			r, err := p.Prompt(context.Background(), "s2", big)
			unsent <- turnEnd{r, err}
		}()
		eventually(t, func() bool { return p.Turn("s2") == acp.Prompting })
		began := time.Now()
		if err := errors.Join(p.Cancel("s1"), p.Cancel("s2")); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("cancel took %v", d)
		}
		if e := <-unsent; e.err != nil || !e.Unsent || e.StopReason != acp.StopCancelled {
			t.Errorf("got %+v, want a prompt taken back", e)
		}
		var died *acp.DiedError
		if err := <-torn; !errors.As(err, &died) || died.Written != acp.Torn {
			// The first prompt may have been taken back as well, before the
			// writer came to it.
			if err != nil {
				t.Errorf("got %v, want a torn DiedError", err)
			}
			return
		}
		if err := <-p.ran; !errors.Is(err, acp.ErrStalled) {
			t.Errorf("run: got %v, want ErrStalled", err)
		}
		if err := p.Cancel("s1"); err != nil {
			t.Errorf("cancel of a dead turn: %v", err)
		}
	}
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		run(t, acptest.Start(t, s))
	})
	t.Run("a real process", func(t *testing.T) {
		t.Parallel()
		run(t, acptest.Spawn(t, s))
	})
}

// While the agent's output waits on our own handler its silence is excused.
func TestSlowHandlerDoesNotTearTheConnection(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	release := make(chan struct{})
	r.onUpdate = func(acp.Update) { <-release }
	a := acptest.Start(t, acptest.Script{Burst: 2000, Size: 200, Silent: []string{"authenticate"}})
	p := connect(t, a, r, acp.Options{WriteTimeout: 500 * time.Millisecond})
	ended := p.begin()
	eventually(t, func() bool { return p.Stats().Lines > 0 })
	go func() {
		_, _ = p.Call(context.Background(), "authenticate", strings.Repeat("x", 1<<20))
	}()
	select {
	case err := <-p.ran:
		t.Errorf("run ended: %v", err)
	case <-time.After(1500 * time.Millisecond):
	}
	close(release)
	if e := <-ended; e.err != nil || p.count() != 2000 {
		t.Errorf("got %v after %d updates, want all", e.err, p.count())
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Late: 3}, acp.Options{Quiet: 50 * time.Millisecond})
	p.mustPrompt("end_turn")
	if err := p.Settle(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if p.count() != 3 || p.updates[2].Late {
		t.Errorf("got %d updates, want 3 that are not late", p.count())
	}
	if _, err := p.LoadSession(t.Context(), "s1", acp.SessionParams{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Settle(t.Context(), "s1"); err != nil { // nothing to settle
		t.Fatal(err)
	}
}

func TestUpdateAfterSettleIsLate(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Replay: 1}, acp.Options{Quiet: time.Millisecond})
	p.mustPrompt("end_turn")
	if err := p.Settle(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.LoadSession(t.Context(), "s1", acp.SessionParams{}); err != nil {
		t.Fatal(err)
	}
	if !p.updates[0].Late {
		t.Error("got an update that is not late")
	}
	p.mustPrompt("end_turn")
}

func TestSettleTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, out, agent := newFake()
		c := acp.NewClient(in, out, &recorder{seen: make(chan struct{}, 1)}, acp.Options{})
		ran := make(chan error, 1)
		go func() { ran <- c.Run(context.Background()) }()
		go agent.answerPrompt(200, 90*time.Millisecond)
		if _, err := c.Prompt(t.Context(), "s1", nil); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.Settle(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began); d != time.Second {
			t.Errorf("settled a talkative agent in %v, want 1 s", d)
		}
		agent.stop()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
}
