package hall_test

import (
	"context"
	"sync/atomic"
	"testing"

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
