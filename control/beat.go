package control

import (
	"sync"
	"time"

	"blaise.dev/blaise"
)

// beats remembers when each run was heard last. A restart forgets
// it: so a run is never declared lost before control has itself been serving that
// long (X2).
type beats struct {
	now func() time.Time

	mu       sync.Mutex // guards what follows
	heard    map[blaise.RunID]time.Time
	progress map[blaise.RunID]time.Time // the last transcript batch: re-arms the silence watchdog (B5)
	serving  time.Time                  // since when, without having been asleep or frozen
}

func newBeats(now func() time.Time) *beats {
	return &beats{
		now: now, serving: now(),
		heard: map[blaise.RunID]time.Time{}, progress: map[blaise.RunID]time.Time{},
	}
}

func (b *beats) hear(r blaise.RunID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard[r] = b.now()
}

func (b *beats) advance(r blaise.RunID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard[r] = b.now()
	b.progress[r] = b.now()
}

func (b *beats) forget(r blaise.RunID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.heard, r)
	delete(b.progress, r)
}

// last is when the run was heard, or since when it could have been.
func (b *beats) last(r blaise.RunID) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t, ok := b.heard[r]; ok && t.After(b.serving) {
		return t
	}
	return b.serving
}

// unheard says that the run was not heard since when, from which on it could
// have been.
func (b *beats) unheard(r blaise.RunID) (since time.Time, is bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.heard[r]
	return b.serving, !ok || t.Before(b.serving)
}

// moved is when the run's transcript grew last; zero if it has not.
func (b *beats) moved(r blaise.RunID) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.progress[r]
}

// since is since when control has been there to hear.
func (b *beats) since() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.serving
}

// woke says that nobody could be heard until now, or that the times of what was
// heard are those of another clock.
func (b *beats) woke() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serving = b.now()
	clear(b.heard)
	clear(b.progress)
}

// quiet is how long ago the run was heard that was not heard for longest.
func (b *beats) quiet() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.now()
	for _, t := range b.heard {
		if t.Before(b.serving) {
			t = b.serving
		}
		if t.Before(first) {
			first = t
		}
	}
	return b.now().Sub(first)
}
