package hall_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise/internal/hall"
)

// A play counts how often it began and ended.
type play struct{ began, ended atomic.Int64 }

func (p *play) Run(ctx context.Context) {
	p.began.Add(1)
	<-ctx.Done()
	p.ended.Add(1)
}

func TestHall(t *testing.T) {
	t.Parallel()
	var h hall.Hall[string, *play]
	first, cancel := context.WithCancel(t.Context())
	p, leave := h.Enter(first, "a", &play{})
	q, leaveToo := h.Enter(t.Context(), "a", &play{})
	r, leaveOther := h.Enter(t.Context(), "b", &play{})
	if p != q || p == r {
		t.Error("those who came for the same do not see the same")
	}
	cancel()
	leave()
	if p.ended.Load() != 0 {
		t.Error("it ended with who came first")
	}
	leaveToo()
	leaveOther()
	if p.began.Load() != 1 || p.ended.Load() != 1 || r.ended.Load() != 1 {
		t.Errorf("began %d times, ended %d times when the last had left", p.began.Load(), p.ended.Load())
	}
	again, leave := h.Enter(t.Context(), "a", &play{})
	defer leave()
	if again == p {
		t.Error("who comes later sees one that has ended")
	}
}

// A broken show cannot go on.
type broken struct{ gone chan struct{} }

func (b *broken) Run(context.Context) { close(b.gone) }

// One that failed is left to those who follow it: who comes later begins another,
// and the leaving of the first ends nothing of that.
func TestOneThatFailedIsBegunAnew(t *testing.T) {
	t.Parallel()
	var h hall.Hall[string, *broken]
	first, leave := h.Enter(t.Context(), "a", &broken{gone: make(chan struct{})})
	<-first.gone
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		again, leaveToo := h.Enter(t.Context(), "a", &broken{gone: make(chan struct{})})
		leaveToo()
		if again != first {
			break
		}
		if time.Now().After(end) {
			t.Fatal("who comes later follows one that failed")
		}
	}
	leave()
}
