package control

import (
	"context"
	"sync"

	"blaise.dev/blaise"
)

// A farewell looks whether a runner whose run has ended was revoked with it,
// and then tells the sessions it has left: after the commit, and, where Blaise
// died before it had told all, at the next start.
type farewell struct {
	c    *Control
	kick chan struct{}

	mu      sync.Mutex // guards runners
	runners map[blaise.RunnerID]bool
}

func newFarewell(c *Control) *farewell {
	return &farewell{c: c, kick: make(chan struct{}, 1), runners: map[blaise.RunnerID]bool{}}
}

// hint tells of a run of the runner that has ended.
func (f *farewell) hint(id blaise.RunnerID) {
	if id == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runners[id] = true
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

func (f *farewell) run(ctx context.Context) {
	all, err := f.c.db.Runners(ctx)
	if err != nil && ctx.Err() == nil {
		f.c.log.Error("runners not read", "error", err)
	}
	for _, r := range all {
		if r.Revoked {
			f.hint(r.ID)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.kick:
		}
		for _, id := range f.take() {
			if err := f.say(ctx, id); err != nil && ctx.Err() == nil {
				f.c.log.Error("sessions of a revoked runner not told", "runner", id, "error", err)
			}
		}
	}
}

func (f *farewell) take() (ids []blaise.RunnerID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range f.runners {
		ids = append(ids, id)
	}
	clear(f.runners)
	return ids
}

func (f *farewell) say(ctx context.Context, id blaise.RunnerID) error {
	r, err := f.c.db.Runner(ctx, id)
	if err != nil || !r.Revoked {
		return err
	}
	f.c.hub.Wake(TopicRunner(id))
	return f.c.spreadRevoked(ctx, id)
}
