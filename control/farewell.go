package control

import (
	"context"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// farewellAgain is how soon what did not work is tried again.
const farewellAgain = 5 * time.Second

// A farewell sees runners off that go for good: after a run of theirs has ended,
// and, where Blaise died before all was done, at the next start.
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
	f.remember(id)
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

func (f *farewell) remember(id blaise.RunnerID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runners[id] = true
}

func (f *farewell) run(ctx context.Context) {
	all, err := f.c.db.Runners(ctx)
	if err != nil && ctx.Err() == nil {
		f.c.log.Error("runners not read", "error", err)
	}
	for _, r := range all {
		if r.Revoked || r.Leaving != nil {
			f.hint(r.ID)
		}
	}
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.kick:
		case <-again:
		}
		again = nil
		for _, id := range f.take() {
			if err := f.c.seeOff(ctx, id); err != nil && ctx.Err() == nil {
				f.c.log.Error("runner not seen off", "runner", id, "error", err)
				f.remember(id)
				again = time.After(farewellAgain)
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

// seeOff has a runner that goes for good take down what sleeps there, and
// revokes it when nothing is left; the sessions of one that is revoked are told.
// It may be called at any time, for any runner, by several processes.
func (c *Control) seeOff(ctx context.Context, id blaise.RunnerID) error {
	r, err := c.db.Runner(ctx, id)
	if err != nil || !r.Revoked && r.Leaving == nil {
		return err
	}
	if !r.Revoked {
		leaves := blaise.Event{
			Kind: blaise.EventRunnerLeaves, By: r.Leaving.By, Runner: id,
			Reason: "runner " + r.Name + " goes for good",
		}
		if err := c.tellAll(ctx, leaves); err != nil {
			return err
		}
		if r, err = c.revokeIfEmpty(ctx, id); err != nil || !r.Revoked {
			return err
		}
	}
	c.hub.Wake(TopicRunner(id))
	return c.tellAll(ctx, revokedEvent(r))
}

// revokeIfEmpty revokes a runner that goes for good, unless a run of its still
// lives or something is left there, if only for a person to see to.
func (c *Control) revokeIfEmpty(ctx context.Context, id blaise.RunnerID) (r store.Runner, err error) {
	err = c.db.Tx(ctx, func(tx *store.Tx) error {
		if r, err = tx.Runner(id); err != nil || r.Revoked {
			return err
		}
		live, err := tx.LiveRuns(id)
		if err != nil || len(live) > 0 {
			return err
		}
		if busy, _, _, err := tx.Busy(id); err != nil || busy > 0 {
			return err
		}
		r.Revoked, r.RevokedAt, r.RevokedBy = true, c.now(), r.Leaving.By
		return tx.PutRunner(r)
	})
	return r, err
}
