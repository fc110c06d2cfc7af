// Package directive holds what Blaise may tell a run, and the order in which
// the run obeys it. Package run takes from an Inbox, the subscription to
// Blaise puts into it. It knows no network and no clock.
package directive

import (
	"context"
	"slices"
	"sync"

	"blaise.dev/blaise"
)

// An Inbox holds the directives that a run has not taken yet, strongest first.
// All its methods are safe for concurrent use; only Next blocks.
//
// A stop goes before all that waits, and nothing goes after it but a stronger
// stop: what else waits, or comes, is kept and given out only if the stop is
// made void (A7).
type Inbox struct {
	mu      sync.Mutex // guards what follows
	known   map[int64]bool
	waiting []blaise.Directive // not taken, in the order in which they are obeyed
	stops   []blaise.Directive // not void, taken or not, strongest first
	changed chan struct{}      // closed when something is put or made void
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox {
	return &Inbox{
		known:   make(map[int64]bool),
		changed: make(chan struct{}),
	}
}

// Put adds d, unless its N is known: a subscription that begins again brings
// what it brought before. Put never blocks.
func (b *Inbox) Put(d blaise.Directive) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[d.N] {
		return
	}
	b.known[d.N] = true
	b.waiting = insert(b.waiting, d)
	if d.Kind == blaise.DirectiveStop {
		b.stops = insert(b.stops, d)
	}
	b.wake()
}

// Void takes directive n back: Blaise has withdrawn it, or answered that it is
// overtaken. After the last stop is void the inbox goes on as if there had
// been none; a weaker stop counts again.
func (b *Inbox) Void(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := func(d blaise.Directive) bool { return d.N == n }
	b.known[n] = true
	b.waiting = slices.DeleteFunc(b.waiting, is)
	b.stops = slices.DeleteFunc(b.stops, is)
	b.wake()
}

// Next takes the directive to obey next, and waits for one. It returns the
// cause of ctx when ctx ends first.
func (b *Inbox) Next(ctx context.Context) (blaise.Directive, error) {
	for {
		b.mu.Lock()
		d, ok := b.first()
		if ok {
			b.waiting = b.waiting[1:]
		}
		changed := b.changed
		b.mu.Unlock()
		if ok {
			return d, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return blaise.Directive{}, context.Cause(ctx)
		}
	}
}

// first is the directive to obey next. With a stop, only the strongest may go,
// once: the weaker ones are covered by it.
func (b *Inbox) first() (blaise.Directive, bool) {
	if len(b.waiting) == 0 {
		return blaise.Directive{}, false
	}
	if len(b.stops) > 0 && b.waiting[0].N != b.stops[0].N {
		return blaise.Directive{}, false
	}
	return b.waiting[0], true
}

func (b *Inbox) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func insert(to []blaise.Directive, d blaise.Directive) []blaise.Directive {
	at, _ := slices.BinarySearchFunc(to, d, compare)
	return slices.Insert(to, at, d)
}
