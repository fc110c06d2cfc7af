package control

import (
	"sync"
	"time"

	"blaise.dev/blaise"
)

// looks remembers which sessions' runs were asked of late to look at what they
// changed: each look reads a whole tree, and whoever may see the session may ask.
type looks struct {
	mu    sync.Mutex
	asked map[blaise.SessionID]time.Time
}

// recent says that the session was asked within diffFresh.
func (l *looks) recent(id blaise.SessionID, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.asked[id]
	return ok && now.Sub(at) < diffFresh
}

// ask notes that the session was asked, and forgets who was asked before diffFresh.
func (l *looks) ask(id blaise.SessionID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, at := range l.asked {
		if now.Sub(at) >= diffFresh {
			delete(l.asked, other)
		}
	}
	if l.asked == nil {
		l.asked = map[blaise.SessionID]time.Time{}
	}
	l.asked[id] = now
}
