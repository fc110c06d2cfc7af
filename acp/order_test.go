package acp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// busy is a handler that takes its time, without a clock.
func busy(n int) {
	var x atomic.Int64
	for range n {
		x.Add(1)
	}
}

func TestBurstOf100000ArrivesInOrder(t *testing.T) {
	t.Parallel()
	const n = 100_000
	r := &recorder{onUpdate: func(acp.Update) { busy(200) }}
	p := connect(t, acptest.Start(t, acptest.Script{Burst: n}), r, acp.Options{})
	p.mustPrompt("end_turn")
	if got := p.count(); got != n {
		t.Fatalf("got %d updates before the response, want %d", got, n)
	}
	for i, u := range p.updates {
		if text, _ := u.Text(); text != fmt.Sprintf("%d ", i+1) {
			t.Fatalf("update %d is %q", i+1, text)
		}
	}
}

func TestW5_ExitRightAfterTheAnswerLosesNothing(t *testing.T) {
	t.Parallel()
	for i := range 500 {
		r := &recorder{onUpdate: func(acp.Update) { busy(500) }}
		s := acptest.Script{Burst: 50, ExitAfterAnswer: true}
		p := connect(t, acptest.Start(t, s), r, acp.Options{})
		p.mustPrompt("end_turn")
		if p.count() != 50 {
			t.Fatalf("run %d: got %d updates, want 50", i, p.count())
		}
		if err := <-p.ran; err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		p.stop(nil)
	}
}

func TestRealProcessThatExitsAfterItsAnswer(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := acptest.Script{Burst: 200, ExitAfterAnswer: true}
		p := connect(t, acptest.Spawn(t, s), &recorder{}, acp.Options{})
		p.mustPrompt("end_turn")
		if p.count() != 200 {
			t.Fatalf("got %d updates, want 200", p.count())
		}
	}
}

func TestDeathInATurn(t *testing.T) {
	t.Parallel()
	s := acptest.Script{Banner: []string{"out of memory"}, Burst: 100, ExitInPrompt: true}
	p := start(t, s, acp.Options{})
	_, err := p.prompt()
	var died *acp.DiedError
	if !errors.As(err, &died) || !errors.Is(err, acp.ErrClosed) {
		t.Fatalf("got %v, want a DiedError", err)
	}
	if died.Written != acp.Sent || died.Noise != "out of memory" || p.count() != 100 {
		t.Errorf("got %+v after %d updates, want sent, the noise and 100", died, p.count())
	}
	if err := <-p.ran; err != nil {
		t.Errorf("run: got %v, want a clean end", err)
	}
	_, err = p.prompt()
	if !errors.As(err, &died) || died.Written != acp.Unsent {
		t.Errorf("later prompt: got %v, want an unsent DiedError", err)
	}
	if p.Turn("s1") != acp.Idle {
		t.Errorf("got turn %v, want idle", p.Turn("s1"))
	}
}

func TestPermissionStartsAfterAllEarlierUpdates(t *testing.T) {
	t.Parallel()
	r := &recorder{onUpdate: func(acp.Update) { busy(2000) }}
	var at atomic.Int64
	r.permit = func(_ context.Context, q acp.PermissionRequest) acp.PermissionOutcome {
		at.Store(int64(r.count()))
		return q.Choose(true, false)
	}
	p := connect(t, acptest.Start(t, acptest.Script{Burst: 500, Permissions: 1}), r, acp.Options{})
	p.mustPrompt("end_turn")
	if at.Load() != 500 {
		t.Errorf("permission began after %d updates, want 500", at.Load())
	}
	if !strings.Contains(p.text(), `"optionId":"yes"`) {
		t.Error("the agent did not get the answer")
	}
}

func TestPermissionsAreParallel(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	var open atomic.Int32
	all := make(chan struct{})
	r.permit = func(_ context.Context, q acp.PermissionRequest) acp.PermissionOutcome {
		if open.Add(1) == 5 {
			close(all)
		}
		<-all
		return q.Choose(false, false)
	}
	p := connect(t, acptest.Start(t, acptest.Script{Permissions: 5}), r, acp.Options{})
	p.mustPrompt("end_turn")
	if got := strings.Count(p.text(), `"optionId":"no"`); got != 5 {
		t.Errorf("the agent got %d answers, want 5", got)
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Replay: 1000}, acp.Options{})
	s, err := p.LoadSession(t.Context(), "old", acp.SessionParams{CWD: "/"})
	if err != nil || s.ID != "old" || s.Raw != nil {
		t.Fatalf("got %+v, %v; want session old with a null result", s, err)
	}
	if p.count() != 1000 {
		t.Errorf("got %d updates before the response, want 1000", p.count())
	}
	late := start(t, acptest.Script{Replay: 1000, ReplayLate: true}, acp.Options{})
	if _, err := late.LoadSession(t.Context(), "old", acp.SessionParams{CWD: "/"}); err != nil {
		t.Fatal(err)
	}
	late.wait(1000)
}

func TestFramesAreSeenInOrder(t *testing.T) {
	t.Parallel()
	var frames []string // written by one call at a time: the turn orders them
	o := acp.Options{Frames: func(dir acp.Direction, raw []byte) {
		frames = append(frames, dir.String()+" "+string(raw))
	}}
	p := start(t, acptest.Script{Banner: []string{"noise"}, Burst: 2}, o)
	p.mustPrompt("end_turn")
	p.CloseInput()
	if err := <-p.ran; err != nil {
		t.Fatal(err)
	}
	if len(frames) != 4 {
		t.Fatalf("got %q, want 4 frames", frames)
	}
	for i, want := range []string{"session/prompt", `"1 "`, `"2 "`, "end_turn"} {
		if !strings.Contains(frames[i], want) || strings.HasPrefix(frames[i], "out") != (i == 0) {
			t.Errorf("frame %d is %q, want %s", i, frames[i], want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := start(t, acptest.Script{Silent: []string{"session/prompt"}}, acp.Options{})
	ended := p.begin()
	why := errors.New("enough")
	p.stop(why)
	if err := <-p.ran; !errors.Is(err, why) {
		t.Errorf("run: got %v, want %v", err, why)
	}
	if e := <-ended; !errors.Is(e.err, acp.ErrClosed) || !errors.Is(e.err, why) {
		t.Errorf("prompt: got %v, want closed and %v", e.err, why)
	}
}
