package dashboard

import (
	"context"
	"sync"
)

// A hall gives one show to all who came for the same: what they see is read and
// rendered once, however many they are. The first to come begins a show, the
// last to leave ends it. It is safe for concurrent use.
type hall[K comparable, S show] struct {
	mu    sync.Mutex // guards what follows
	shows map[K]*seats[S]
}

// A show works until its context ends.
type show interface{ run(ctx context.Context) }

// seats are those who follow a show.
type seats[S show] struct {
	show  S
	taken int
	stop  context.CancelFunc
	ended sync.WaitGroup
}

// enter finds the show of a key, or begins the one that is given, and returns
// it with a function that leaves it.
func (h *hall[K, S]) enter(ctx context.Context, key K, begun S) (S, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.shows[key]
	if s == nil {
		s = &seats[S]{show: begun}
		ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx)) // it outlasts who came first
		s.ended.Go(func() { s.show.run(ctx) })
		if h.shows == nil {
			h.shows = map[K]*seats[S]{}
		}
		h.shows[key] = s
	}
	s.taken++
	return s.show, func() { h.leave(key, s) }
}

func (h *hall[K, S]) leave(key K, s *seats[S]) {
	h.mu.Lock()
	s.taken--
	last := s.taken == 0
	if last {
		delete(h.shows, key)
	}
	h.mu.Unlock()
	if last {
		s.stop()
		s.ended.Wait()
	}
}
