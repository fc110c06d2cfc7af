package control

import (
	"sync"
	"time"

	"blaise.dev/blaise"
)

// shownFor is how long a run that was shown to one instance is kept from the
// others: long enough to write it down and accept it.
const shownFor = time.Second

// shown keeps a herd from going for the same runs (R19): what one instance was
// offered, the others are not for a moment. It is a hint, and no promise: only
// the accept decides, and a run that its instance did not take is everybody's
// again.
type shown struct {
	mu sync.Mutex // guards to
	to map[blaise.RunID]showing
}

type showing struct {
	instance blaise.InstanceID
	until    time.Time
}

// elsewhere says whether another instance was shown the run just now.
func (s *shown) elsewhere(run blaise.RunID, to blaise.InstanceID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.to[run]
	return ok && old.instance != to && now.Before(old.until)
}

// show notes that an instance is shown the run; false if another was first.
func (s *shown) show(run blaise.RunID, to blaise.InstanceID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.to[run]; ok && old.instance != to && now.Before(old.until) {
		return false
	}
	s.to[run] = showing{instance: to, until: now.Add(shownFor)}
	return true
}

// forget is for a run that is offered no more.
func (s *shown) forget(run blaise.RunID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.to, run)
}
