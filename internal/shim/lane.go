package shim

import (
	"io"
	"os"
	"sync"
	"time"
)

// A lane may have so much on its way that the other side has not yet taken: a
// command that does not read its input, or a reader that is slow, holds up its
// own lane and nothing else, no order and no other lane.
const (
	laneWindow = 256 << 10
	laneChunk  = 32 << 10
)

// A sender is the near end of a lane that carries data away. Write waits for
// room; Close ends the lane for the other side.
type sender struct {
	mux  *mux
	lane byte

	mu    sync.Mutex // guards what follows
	more  sync.Cond
	room  int
	ended bool
}

func newSender(m *mux, lane byte) *sender {
	s := &sender{mux: m, lane: lane, room: laneWindow}
	s.more.L = &s.mu
	return s
}

func (s *sender) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		room := s.take(min(len(p), laneChunk))
		if room == 0 {
			return n, os.ErrClosed
		}
		s.mux.send(frameData, []byte{s.lane}, p[:room])
		n, p = n+room, p[room:]
	}
	return n, nil
}

// take waits for room and answers how much of it there is, 0 at the end.
func (s *sender) take(want int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.room == 0 && !s.ended {
		s.more.Wait()
	}
	if s.ended {
		return 0
	}
	got := min(want, s.room)
	s.room -= got
	return got
}

func (s *sender) taken(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room += n
	s.more.Signal()
}

func (s *sender) Close() error {
	if s.end() {
		s.mux.send(frameData, []byte{s.lane})
	}
	return nil
}

// end lets Write return, and says whether it was the first to do so.
func (s *sender) end() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.ended
	s.ended = true
	s.more.Broadcast()
	return first
}

// A receiver is the near end of a lane that brings data.
type receiver struct {
	mux  *mux
	lane byte
	done chan struct{} // all that came was written

	mu    sync.Mutex // guards what follows
	more  sync.Cond
	queue [][]byte // at most laneWindow bytes: the sender waits
	ended bool
	moved int
}

func newReceiver(m *mux, lane byte) *receiver {
	r := &receiver{mux: m, lane: lane, done: make(chan struct{})}
	r.more.L = &r.mu
	return r
}

// put takes what came; no data is the end.
func (r *receiver) put(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved++
	if len(p) == 0 {
		r.ended = true
	} else {
		r.queue = append(r.queue, p)
	}
	r.more.Signal()
}

func (r *receiver) next() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) == 0 && !r.ended {
		r.more.Wait()
	}
	if len(r.queue) == 0 {
		return nil
	}
	p := r.queue[0]
	r.queue = r.queue[1:]
	return p
}

// copyTo writes what comes to w until the lane ends. After an error of w the
// rest is dropped: the other side must not wait for ever.
func (r *receiver) copyTo(w io.Writer) {
	defer close(r.done)
	var failed error
	for p := r.next(); p != nil; p = r.next() {
		if failed == nil {
			_, failed = w.Write(p)
		}
		r.mux.took(r.lane, len(p))
	}
}

// drained waits until all is written, for limit at most after the last that
// came.
func (r *receiver) drained(limit time.Duration) {
	for before := -1; ; {
		select {
		case <-r.done:
			return
		case <-time.After(limit):
		}
		r.mu.Lock()
		now := r.moved
		r.mu.Unlock()
		if now == before {
			return
		}
		before = now
	}
}
