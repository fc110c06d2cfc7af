package acp

import (
	"context"
	"sync"
)

// outboxSize bounds what waits for the writer. Whoever puts one frame more
// waits too; cancels and the answers that go with them do not count.
const outboxSize = 256

// frame is one line for the agent's stdin.
type frame struct {
	raw  []byte
	call *call // the call it begins; nil for answers and notifications
	// until, when closed, makes the frame pointless: it is not written then.
	until <-chan struct{}

	taken, dropped, urgent bool // guarded by outbox.mu
}

// outbox holds the frames not yet given to the writer, urgent ones first. It is
// safe for concurrent use.
type outbox struct {
	slots  chan struct{} // one token for each frame in queue
	ready  chan struct{} // wakes the writer; one token at most
	broken chan struct{} // closed when nothing will be written any more

	mu     sync.Mutex // over the fields below
	urgent []*frame
	queue  []*frame
	ending bool  // no more frames; the writer stops when it is empty
	err    error // why it is broken
}

func newOutbox() *outbox {
	return &outbox{
		slots:  make(chan struct{}, outboxSize),
		ready:  make(chan struct{}, 1),
		broken: make(chan struct{}),
	}
}

// put waits for room and queues f. It returns ctx's cause, or why the outbox
// is broken.
func (b *outbox) put(ctx context.Context, f *frame) error {
	select {
	case b.slots <- struct{}{}:
	case <-b.broken:
		return b.cause()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return b.add(f)
}

// putUrgent queues frames, in their order, before all that is not urgent. It
// never waits.
func (b *outbox) putUrgent(frames ...*frame) {
	for _, f := range frames {
		f.urgent = true
		_ = b.add(f) // a broken outbox has failed everything already
	}
}

func (b *outbox) add(f *frame) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	if b.ending {
		return ErrClosed
	}
	if f.urgent {
		b.urgent = append(b.urgent, f)
	} else {
		b.queue = append(b.queue, f)
	}
	b.wake()
	return nil
}

func (b *outbox) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take waits for the next frame; nil means that there will be none.
func (b *outbox) take() *frame {
	for {
		f, over := b.pop()
		if f != nil || over {
			return f
		}
		select {
		case <-b.ready:
		case <-b.broken:
			return nil
		}
	}
}

func (b *outbox) pop() (f *frame, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.err == nil && len(b.urgent)+len(b.queue) > 0 {
		if f = b.popOne(); !f.dropped && !f.pointless() {
			f.taken = true
			return f, false
		}
	}
	return nil, b.ending || b.err != nil
}

func (f *frame) pointless() bool {
	select {
	case <-f.until:
		return true
	default:
		return false
	}
}

func (b *outbox) popOne() *frame {
	if len(b.urgent) > 0 {
		f := b.urgent[0]
		b.urgent = b.urgent[1:]
		return f
	}
	f := b.queue[0]
	b.queue = b.queue[1:]
	<-b.slots
	return f
}

// drop takes f back, if no byte of it was written yet. It may still be on its
// way into the queue.
func (b *outbox) drop(f *frame) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !f.taken {
		f.dropped = true
	}
	return f.dropped
}

// end lets the writer finish what is queued and stop.
func (b *outbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ending = true
	b.wake()
}

// breakOff makes every put fail with err and gives the frames that will not be
// written. Only the first call has an effect.
func (b *outbox) breakOff(err error) (lost []*frame, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, false
	}
	b.err = err
	close(b.broken)
	lost = append(b.urgent, b.queue...)
	b.urgent, b.queue = nil, nil
	return lost, true
}

func (b *outbox) cause() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}
