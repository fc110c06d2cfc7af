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

// keeps says that the run is kept from an instance, for another was shown it.
func (s showing) keeps(from blaise.InstanceID, now time.Time) bool {
	return s.instance != from && now.Before(s.until)
}

// elsewhere are the runs that another instance was shown just now.
func (s *shown) elsewhere(to blaise.InstanceID, now time.Time) map[blaise.RunID]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	runs := map[blaise.RunID]bool{}
	for run, old := range s.to {
		if old.keeps(to, now) {
			runs[run] = true
		}
	}
	return runs
}

// show notes that an instance is shown the run; false if another was first.
func (s *shown) show(run blaise.RunID, to blaise.InstanceID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to[run].keeps(to, now) {
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
