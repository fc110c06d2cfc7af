package hall

import "sync"

// A Board is what a show has told those who follow it: embedded in it, its lock
// guards that. The zero Board is ready.
type Board struct {
	sync.Mutex
	more chan struct{} // closed at the next change, nil while nobody waits for it
	err  error
}

// Tell changes what is on the board, under its lock, and wakes those who follow.
func (b *Board) Tell(change func()) {
	b.Lock()
	defer b.Unlock()
	change()
	if b.more != nil {
		close(b.more)
		b.more = nil
	}
}

// Fail tells that the show cannot go on.
func (b *Board) Fail(err error) { b.Tell(func() { b.err = err }) }

// More is what wakes at the next change, and why there is none, if the show has
// failed. The caller holds the lock.
func (b *Board) More() (<-chan struct{}, error) {
	if b.more == nil {
		b.more = make(chan struct{})
	}
	return b.more, b.err
}
