// Package hall has one goroutine work for all who follow the same, and nobody
// work where nobody follows. Packages dashboard and server show sessions by it.
package hall

import (
	"context"
	"sync"
)

// A Hall gives one show to all who came for the same: what they see is read and
// rendered once, however many they are. The first to come begins a show, the
// last to leave ends it; who comes after one that could not go on begins another.
// The zero Hall is empty. It is safe for concurrent use.
type Hall[K comparable, S Show] struct {
	mu    sync.Mutex // guards what follows
	shows map[K]*seats[S]
}

// A Show works until its context ends, or it cannot go on and has told so those
// who follow it.
type Show interface{ Run(ctx context.Context) }

// seats are those who follow a show.
type seats[S Show] struct {
	show  S
	taken int
	stop  context.CancelFunc
	ended sync.WaitGroup
}

// Enter finds the show of a key, or begins the one that is given, and returns it
// with a function that leaves it, to be called once. The show has the values of
// the ctx that began it, and outlasts it. The last to leave waits for its end.
func (h *Hall[K, S]) Enter(ctx context.Context, key K, begun S) (S, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.shows[key]
	if s == nil {
		s = &seats[S]{show: begun}
		ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
		s.ended.Go(func() {
			s.show.Run(ctx)
			h.mu.Lock()
			defer h.mu.Unlock()
			h.forget(key, s)
		})
		if h.shows == nil {
			h.shows = map[K]*seats[S]{}
		}
		h.shows[key] = s
	}
	s.taken++
	return s.show, func() { h.leave(key, s) }
}

func (h *Hall[K, S]) leave(key K, s *seats[S]) {
	h.mu.Lock()
	s.taken--
	last := s.taken == 0
	if last {
		h.forget(key, s)
	}
	h.mu.Unlock()
	if last {
		s.stop()
		s.ended.Wait()
	}
}

// forget lets nobody in any more. The caller holds the lock.
func (h *Hall[K, S]) forget(key K, s *seats[S]) {
	if h.shows[key] == s { // not one that was begun after it
		delete(h.shows, key)
	}
}
