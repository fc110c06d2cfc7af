package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Connect is a run's first word. It answers the directives that wait for it.
func (c *Control) Connect(ctx context.Context, run blaise.Run) ([]blaise.Directive, error) {
	c.beats.hear(run.ID)
	p, err := c.Apply(ctx, run.ID.Session(), blaise.Event{
		Kind: blaise.EventRunConnected, By: "run " + string(run.ID), Run: run.ID,
	})
	if err != nil {
		return nil, err
	}
	return p.Next.Directives, nil
}

// Beat hears a run's heartbeat and answers the number of its last directive.
func (c *Control) Beat(ctx context.Context, run blaise.Run) (int64, error) {
	if run.Final() && !c.parting(run) {
		if err := c.back(ctx, run); err != nil {
			return 0, err
		}
	}
	c.beats.hear(run.ID)
	c.observer.Beat()
	return c.db.LastDirective(ctx, run.ID.Session())
}

// partingGrace is how long a run that has ended by its own report may still
// beat: the answer to its report is on its way to it.
const partingGrace = 10 * time.Second

func (c *Control) parting(run blaise.Run) bool {
	return run.Outcome != blaise.RunLost && c.now().Sub(run.EndedAt) < partingGrace
}

// back takes a run that was declared lost back, if no other has its place yet
// (X2); CodeStale if it cannot be.
func (c *Control) back(ctx context.Context, run blaise.Run) error {
	if run.Outcome != blaise.RunLost {
		return stale(run)
	}
	_, err := c.Apply(ctx, run.ID.Session(), blaise.Event{
		Kind: blaise.EventRunBack, By: "run " + string(run.ID), Run: run.ID,
	})
	return err
}

func stale(run blaise.Run) error {
	return blaise.Errorf(blaise.CodeStale, "run %s has ended (%s): stop now", run.ID, run.Outcome)
}

// Directives answers the run's directives above after that it has not
// received, and those of them taken back, waiting up to wait for the first.
func (c *Control) Directives(ctx context.Context, run blaise.Run, after int64, wait time.Duration) ([]blaise.Directive, []int64, error) {
	woken, leave := c.hub.Follow(TopicRun(run.ID))
	defer leave()
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for {
		open, void, err := c.db.Directives(ctx, run.ID, after)
		if err != nil || len(open)+len(void) > 0 {
			return open, void, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-deadline.C:
			return nil, nil, nil
		case <-woken:
		}
	}
}

// Received confirms a directive: it binds from now on, unless it is void. The
// same answer is given to the same question again.
func (c *Control) Received(ctx context.Context, run blaise.Run, n int64) (blaise.Verdict, error) {
	var plan *blaise.Plan
	var verdict blaise.Verdict
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		plan = nil
		d, state, known, err := tx.Directive(run.ID.Session(), n)
		if err != nil {
			return err
		}
		if state != store.DirectiveOpen {
			verdict = known
			return nil
		}
		kind := blaise.EventReceived
		if d.Kind == blaise.DirectiveStop {
			kind = blaise.EventStopReceived
		}
		p, err := c.decide(tx, run.ID.Session(), blaise.Event{
			Kind: kind, By: "run " + string(run.ID), Run: run.ID, Directive: n,
		})
		if err != nil {
			return err
		}
		plan, verdict = &p, p.Verdict
		return tx.Received(run.ID, n, verdict)
	})
	if err != nil {
		return "", err
	}
	if plan != nil {
		c.wake(*plan)
	}
	return verdict, nil
}

// Claim delivers a message to a run: queued becomes delivered before the bytes
// are written to the agent (X1).
func (c *Control) Claim(ctx context.Context, run blaise.Run, id blaise.MessageID) (blaise.Message, error) {
	p, err := c.Apply(ctx, run.ID.Session(), blaise.Event{
		Kind: blaise.EventTurnClaimed, By: "run " + string(run.ID), Run: run.ID, Message: id,
	})
	if err != nil {
		return blaise.Message{}, err
	}
	c.beats.advance(run.ID)
	for _, m := range p.Next.Messages {
		if m.ID == id {
			return m, nil
		}
	}
	return blaise.Message{}, blaise.Errorf(blaise.CodeNotFound, "message %s is not in the session any more", id)
}
