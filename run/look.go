package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
)

const (
	lookLimit = 2 * time.Minute  // while the agent works: the tree may be large
	lastLimit = 20 * time.Second // at the end: what was saved is compared fast
)

// looks tell Blaise what the session changed, for people to see: when they ask,
// and when work was saved. They hold nothing up: a run that ends ends them.
type looks struct {
	r    *run
	one  sync.Mutex // held while one looks: each reads the whole tree
	told atomic.Bool

	mu    sync.Mutex                 // guards what follows
	open  bool                       // the layers are
	next  bool                       // one who was asked waits for its turn
	n     int                        // of those who were asked
	cut   map[int]context.CancelFunc // of those who look or wait
	alive sync.WaitGroup
}

// begin lets people ask, until end.
func (l *looks) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open, l.cut = true, map[int]context.CancelFunc{}
}

// end ends the looks that are under way, and waits for them. It may be called
// before begin.
func (l *looks) end() {
	l.mu.Lock()
	l.open = false
	for _, cut := range l.cut {
		cut()
	}
	l.mu.Unlock()
	l.alive.Wait()
}

// asked looks at the tree as it is, while the agent works in it; once for all who
// ask before it begins. A run that ends does not: it tells when it has saved.
func (l *looks) asked(life context.Context) {
	l.mu.Lock()
	if !l.open || l.next {
		l.mu.Unlock()
		return
	}
	ctx, cut := context.WithCancel(life)
	defer cut()
	l.next, l.n = true, l.n+1
	n := l.n
	l.cut[n] = cut
	l.alive.Add(1)
	l.mu.Unlock()
	defer l.alive.Done()
	l.one.Lock()
	defer l.one.Unlock()
	l.mu.Lock()
	l.next = false
	l.mu.Unlock()
	l.look(ctx, lookLimit, l.r.stack.Look)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.cut, n)
}

// saved looks at what was saved. Where that was nothing new, the last look may
// have seen what is not there any more.
func (l *looks) saved(ctx context.Context, works []blaise.SavedWork) {
	if len(works) > 0 || l.told.Load() {
		l.one.Lock()
		defer l.one.Unlock()
		l.look(ctx, lastLimit, func(ctx context.Context) (blaise.Diff, error) { return l.r.stack.Diff(ctx, works) })
	}
}

// look reads the tree, by see, and tells. The caller holds one.
func (l *looks) look(ctx context.Context, limit time.Duration, see func(context.Context) (blaise.Diff, error)) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %v", limit))
	defer cancel()
	d, err := see(ctx)
	switch {
	case errors.Is(err, plug.ErrGone):
		d.Error = "no plug of the environment holds a working tree"
	case err != nil:
		d.Error = l.r.secrets.String(err.Error())
	}
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return
	}
	l.told.Store(true)
	if err := l.r.client.PutDiff(ctx, l.r.cleanDiff(d)); err != nil {
		l.r.log.Info("what was changed is not told", "error", err)
	}
}

// cleanDiff is the diff as it may leave the process.
func (r *run) cleanDiff(d blaise.Diff) blaise.Diff {
	d.From, d.Patch = r.secrets.String(d.From), r.secrets.String(d.Patch)
	for i, f := range d.Files {
		d.Files[i].Path = r.secrets.String(f.Path)
	}
	return d
}
