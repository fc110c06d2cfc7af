package control

import (
	"sync"

	"blaise.dev/blaise"
)

// A Topic is something a follower may wait for.
type Topic string

// The topics that are not of one thing.
const (
	TopicOffers   Topic = "offers"   // a run was offered
	TopicSessions Topic = "sessions" // some session changed
)

// TopicSession is woken when the session or its transcript changed.
func TopicSession(id blaise.SessionID) Topic { return Topic("session:" + string(id)) }

// TopicRun is woken when the run's directives changed.
func TopicRun(id blaise.RunID) Topic { return Topic("run:" + string(id)) }

// TopicRunner is woken when the runner was revoked, or asked to go.
func TopicRunner(id blaise.RunnerID) Topic { return Topic("runner:" + string(id)) }

// TopicUser is woken when what the user's tokens open has changed.
func TopicUser(name string) Topic { return Topic("user:" + name) }

// A Hub wakes followers. A wake-up carries nothing: who is woken reads rows,
// so that two wake-ups may become one and none can be missed.
type Hub struct {
	mu        sync.Mutex // guards followers
	followers map[Topic]map[chan struct{}]struct{}
}

// NewHub returns a hub without followers.
func NewHub() *Hub {
	return &Hub{followers: map[Topic]map[chan struct{}]struct{}{}}
}

// Follow returns a channel that holds a token after every wake-up of the topic,
// and a function that ends it. Follow first, then read: nothing is missed.
func (h *Hub) Follow(t Topic) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.followers[t] == nil {
		h.followers[t] = map[chan struct{}]struct{}{}
	}
	h.followers[t][ch] = struct{}{}
	return ch, func() { h.leave(t, ch) }
}

func (h *Hub) leave(t Topic, ch chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.followers[t], ch)
	if len(h.followers[t]) == 0 {
		delete(h.followers, t)
	}
}

// Wake wakes the followers of the topic. It never blocks.
func (h *Hub) Wake(t Topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.followers[t] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Appended is the store's hook: the session's transcript has grown.
func (h *Hub) Appended(id blaise.SessionID, _ int64) { h.Wake(TopicSession(id)) }
