package plug

import (
	"context"
	"errors"
	"sync"
	"time"

	"blaise.dev/blaise/internal/shim"
)

// Boottime is the time since boot, sleep included: the clock of a Fence.
func Boottime() time.Duration { return shim.Boottime() }

// A ShimRef names a shim for good on one boot of a machine.
type ShimRef struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

// Alive reports whether the shim still runs, and so perhaps something below it.
func (r ShimRef) Alive() bool { return shim.Alive(r.PID, r.Start) }

// Wake lets the shim go on, if somebody stopped it: it looks at its orders and
// its fence then.
func (r ShimRef) Wake() { shim.Wake(r.PID, r.Start) }

// Kill ends the shim and all below it, for a shim that does not do so itself.
func (r ShimRef) Kill() { shim.KillTree(r.PID, r.Start) }

// KillMarked ends all that was started with the mark, see [Local], and answers
// how many live on after limit. It finds what has left its shim's tree, unless
// that has cleared its environment too.
func KillMarked(mark string, limit time.Duration) (left int) { return shim.KillMarked(mark, limit) }

// A Fence holds the deadline of all processes that a run started: their shims
// kill them when it has passed (X2). The zero Fence has no deadline. Its methods
// are safe for concurrent use and on a nil Fence.
type Fence struct {
	mu       sync.Mutex // guards what follows
	deadline time.Duration
	live     map[fenced]ShimRef
}

// A fenced is a process under a shim, here or at the other end of a stream.
type fenced interface {
	Fence(at time.Duration) error
	Freeze() error
	Thaw() error
	Kill() error
}

// Renew moves the deadline of all that lives and of all that starts later. It
// is a time on the clock of Boottime; 0 takes the fence away.
func (f *Fence) Renew(deadline time.Duration) {
	if f == nil {
		return
	}
	f.mu.Lock()
	f.deadline = deadline
	f.mu.Unlock()
	for _, p := range f.processes() {
		_ = p.Fence(deadline) // gone: nothing to fence
	}
}

// Await returns when the deadline is ahead, or there is none; it is ctx's cause
// if ctx ends first. A run that has slept past its fence starts nothing, and
// touches nothing, before it knows whether its lease still holds.
func (f *Fence) Await(ctx context.Context) error {
	for {
		at := f.at()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case at == 0 || Boottime() < at:
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// Live names the shims of this machine that have not ended.
func (f *Fence) Live() []ShimRef {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var refs []ShimRef
	for _, ref := range f.live {
		if ref != (ShimRef{}) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// Freeze stops everything, Thaw lets it go on: after a gap a run asks Blaise
// before its agent does another thing.
func (f *Fence) Freeze() {
	for _, p := range f.processes() {
		_ = p.Freeze()
	}
}

// Thaw lets everything go on.
func (f *Fence) Thaw() {
	for _, p := range f.processes() {
		_ = p.Thaw()
	}
}

// Kill ends everything and returns when all trees are empty.
func (f *Fence) Kill() error {
	all := f.processes()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() { errs[i] = p.Kill() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (f *Fence) at() time.Duration {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.deadline
}

// add takes p in. A Renew that came between p's start and now is passed on.
// ref is its shim, zero if that is not on this machine.
func (f *Fence) add(p fenced, ref ShimRef) {
	if f == nil {
		return
	}
	f.mu.Lock()
	if f.live == nil {
		f.live = map[fenced]ShimRef{}
	}
	f.live[p] = ref
	deadline := f.deadline
	f.mu.Unlock()
	_ = p.Fence(deadline)
}

func (f *Fence) remove(p fenced) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.live, p)
}

func (f *Fence) processes() []fenced {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]fenced, 0, len(f.live))
	for p := range f.live {
		all = append(all, p)
	}
	return all
}
