package server_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// Those who follow a session are told every event once and in order, wherever
// they begin: before what is kept for those who follow, within it, or at its end.
func TestManyFollow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, run := h.connected()
	long := strings.Repeat("x", 30<<10) // forty of them are more than is kept
	send := func(from, to int64) {
		t.Helper()
		for n := from; n <= to; n++ {
			if _, err := run.Send(t.Context(), []transcript.Entry{event(n, l.Run, long)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(1, 20)
	const last = 40
	var following sync.WaitGroup
	begun := make(chan struct{}, 4)
	for i := range int64(4) {
		following.Go(func() {
			before := 7 * i
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_ = h.user.Follow(ctx, p.Session, before, func(f api.Followed) error {
				switch {
				case f.Session != nil && len(begun) < cap(begun):
					begun <- struct{}{}
				case f.Event == nil:
				case f.Event.Seq != before+1:
					t.Errorf("event %d follows %d", f.Event.Seq, before)
					cancel()
				default:
					if before++; f.Event.N == last {
						cancel()
					}
				}
				return nil
			}) // ends with ctx
		})
	}
	within(t, begun, "a follower")
	send(21, last)
	following.Wait()
}
