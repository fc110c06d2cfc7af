package run

import (
	"sync"

	"blaise.dev/blaise"
)

// turns knows which turn is open, for the directives that mean it. It is safe
// for concurrent use.
type turns struct {
	mu      sync.Mutex // guards what follows
	message blaise.MessageID
	cancel  chan string // takes the reason; nil between turns
}

// begin opens a turn; from the channel comes the reason why it is cancelled.
func (t *turns) begin(m blaise.MessageID) <-chan string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.message, t.cancel = m, make(chan string, 1)
	return t.cancel
}

func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.message, t.cancel = "", nil
}

// ask cancels the open turn, if it is the one that d means. It says whether.
func (t *turns) ask(d blaise.Directive) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel == nil || d.Message != "" && d.Message != t.message {
		return false
	}
	select {
	case t.cancel <- d.Reason:
	default: // asked already
	}
	return true
}

func (t *turns) now() blaise.MessageID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.message
}
