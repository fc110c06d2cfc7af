package control

import (
	"context"
	"sync"
	"time"
)

const (
	// rushMost is how many runs may be on their way from an offer to a written
	// accept before nobody is offered more.
	rushMost = 16
	// rushFor is how long a run that was offered is thought to be on its way: an
	// instance that does not go for it keeps the others no longer.
	rushFor = 50 * time.Millisecond
)

// A rush lets accepts go before offers where many instances ask at once. Accepts
// are written one after the other: who is offered a run while many are on their
// way waits behind them all, with a run that is kept from the others meanwhile.
// Here it waits for its offer instead, in its turn. It is safe for concurrent use.
type rush struct {
	shown *waiting
	now   func() time.Time
	turn  chan struct{} // held by the one who looks
	eased chan struct{} // told when an accept is over

	mu    sync.Mutex
	under int // accepts under way; guarded by mu
}

func newRush(w *waiting, now func() time.Time) *rush {
	return &rush{shown: w, now: now, turn: make(chan struct{}, 1), eased: make(chan struct{}, 1)}
}

// accept counts one as under way until the function it answers is called.
func (r *rush) accept() (done func()) {
	r.count(1)
	return func() {
		r.count(-1)
		select {
		case r.eased <- struct{}{}:
		default:
		}
	}
}

func (r *rush) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under += n
}

func (r *rush) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.under+r.shown.lately(r.now(), rushFor) >= rushMost
}

// look runs do, which offers runs, when its turn has come.
func (r *rush) look(ctx context.Context, do func() error) error {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.turn }()
	for r.full() {
		select {
		case <-r.eased:
		case <-time.After(rushFor / 10):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return do()
}
