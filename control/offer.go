package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// offerBatch is how many waiting runs a look considers first.
const offerBatch = 100

// elsewhereAfter is how long a run that could go back to its last instance
// waits for it before another instance of the machine may take it (A31).
const elsewhereAfter = 2 * time.Second

// An Asker is the instance that asks for work.
type Asker struct {
	Runner   store.Runner
	Instance store.Instance
	Slots    int // free ones

	leaves bool // it goes for good: it takes teardowns alone
}

// Hello records what an instance says of itself and answers its row.
func (c *Control) Hello(ctx context.Context, in store.Instance) error {
	in.LastSeen = c.now()
	return c.db.Tx(ctx, func(tx *store.Tx) error {
		r, err := use(tx, in)
		if err != nil {
			return err
		}
		in.Draining = r.Leaving != nil
		old, err := tx.Instance(in.ID)
		switch {
		case err == nil:
			in.Draining = in.Draining || old.Draining && old.Boot == in.Boot
		case blaise.CodeOf(err) != blaise.CodeNotFound:
			return err
		}
		return tx.PutInstance(in)
	})
}

// Offers answers the runs that the asker may accept, at most as many as it has
// slots, waiting up to wait for the first (A31). Nobody is promised a run: the
// accept decides. The error is CodeDenied as soon as the asker's runner is
// revoked: nothing else wakes one that is idle.
func (c *Control) Offers(ctx context.Context, a Asker, wait time.Duration) ([]store.Offer, error) {
	woken, leave := c.hub.Follow(TopicOffers)
	defer leave()
	revocations, leaveRunner := c.hub.Follow(TopicRunner(a.Runner.ID))
	defer leaveRunner()
	var err error
	if a.leaves, err = c.leaving(ctx, a.Runner.ID); err != nil { // since it was let in
		return nil, err
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for {
		mine, again, err := c.lookInTurn(ctx, a)
		if err != nil || len(mine) > 0 {
			return mine, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline.C:
			return nil, nil
		case <-revocations:
			if a.leaves, err = c.leaving(ctx, a.Runner.ID); err != nil {
				return nil, err
			}
		case <-woken:
		case <-time.After(again):
		}
	}
}

// leaving says whether a runner goes for good; CodeDenied if it is revoked.
func (c *Control) leaving(ctx context.Context, id blaise.RunnerID) (bool, error) {
	r, err := c.db.Runner(ctx, id)
	if err == nil && r.Revoked {
		return true, revoked(r)
	}
	return r.Leaving != nil, err
}

func (c *Control) lookInTurn(ctx context.Context, a Asker) (mine []store.Offer, again time.Duration, err error) {
	err = c.rush.look(ctx, func() (err error) {
		mine, again, err = c.look(ctx, a)
		return err
	})
	return mine, again, err
}

// look chooses once: from what another one saw a moment ago where that will do,
// else from what waits now, else from all that waits. again is when it is worth
// to look without being woken: last instances' first claims lapse, and what
// others were shown and did not take.
func (c *Control) look(ctx context.Context, a Asker) (mine []store.Offer, again time.Duration, err error) {
	if a.Slots <= 0 {
		return nil, time.Minute, nil
	}
	asked := time.Now()
	front, err := c.waiting.first(ctx, asked.Add(-freshFor))
	if err == nil {
		mine, again, err = c.choose(ctx, a, front.runs)
	}
	if err == nil && len(mine) == 0 && front.began.Before(asked) {
		if front, err = c.waiting.first(ctx, asked); err == nil {
			mine, again, err = c.choose(ctx, a, front.runs)
		}
	}
	if err != nil || len(mine) > 0 || !front.full {
		return mine, again, err
	}
	whole, err := c.waiting.all(ctx)
	if err == nil {
		mine, again, err = c.choose(ctx, a, whole.runs)
	}
	return mine, min(again, wholeFor), err
}

// choose takes the first of the runs that the asker may take.
func (c *Control) choose(ctx context.Context, a Asker, runs []store.Offer) (mine []store.Offer, again time.Duration, err error) {
	now := c.now()
	again = time.Minute
	for _, o := range runs {
		if len(mine) == a.Slots {
			break
		}
		if o.Run.Runner != "" && !c.waiting.hasRoom(o, now) { // to look closer at it costs
			again = min(again, shownFor)
			continue
		}
		wait, ok, err := c.mayTake(ctx, a, o)
		switch {
		case err != nil:
			return nil, 0, err
		case !ok:
		case wait > 0:
			again = min(again, wait)
		case c.waiting.show(o, a.Instance.ID, now):
			mine = append(mine, o)
		default:
			again = min(again, shownFor)
		}
	}
	return mine, again, nil
}

// mayTake says whether the asker may take a run, and after what wait.
func (c *Control) mayTake(ctx context.Context, a Asker, o store.Offer) (time.Duration, bool, error) {
	if !suits(a, o) {
		return 0, false, nil
	}
	if o.Run.Runner == "" {
		return 0, true, nil
	}
	v, err := c.db.View(ctx, o.Session)
	if err != nil || !isWhere(v, a.Instance) {
		return 0, false, err
	}
	if last := v.Session.Instance; last != "" && last != a.Instance.ID {
		// Bounded also where the clock was set back since.
		return min(elsewhereAfter-c.now().Sub(o.Run.OfferedAt), elsewhereAfter), true, nil
	}
	return 0, true, nil
}

// suits says that the asker may take a run as far as the two of them say.
func suits(a Asker, o store.Offer) bool {
	if (a.leaves || a.Instance.PausedWhy != "") && o.Run.Kind != blaise.RunTeardown || !mayServe(a.Runner, o.Session) {
		return false
	}
	if o.Run.Runner == "" {
		return matches(o.Requirements, a.Runner.Labels, a.Instance.Labels)
	}
	return o.Run.Runner == a.Runner.ID
}

// isWhere says that a session's environment can be reached by an instance.
func isWhere(v store.View, in store.Instance) bool {
	snap := snapshotOf(v, blaise.Policy{})
	machine, bound := snap.MachineFor()
	return !bound || machine == in.Machine
}

// matches says that the labels of a runner or its instance meet all
// requirements. The runner's own, given with the token, outrank what the
// instance says.
func matches(req, runner, instance map[string]string) bool {
	for k, want := range req {
		got, ok := runner[k]
		if !ok {
			got, ok = instance[k]
		}
		if !ok || got != want {
			return false
		}
	}
	return true
}
