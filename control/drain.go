package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Drain takes an instance out of service (X11): it is offered nothing more, and
// each of its runs is stopped so that its session can be resumed, when its turn
// has ended or the timeout is over. It answers how many runs there still are;
// asked again it catches those that were accepted meanwhile.
func (c *Control) Drain(ctx context.Context, r store.Runner, id blaise.InstanceID, timeout time.Duration) (int, error) {
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		in, err := tx.Instance(id)
		if err != nil || in.Draining {
			return err
		}
		in.Draining = true
		return tx.PutInstance(in)
	})
	if err != nil {
		return 0, err
	}
	runs, err := c.db.LiveRunsOf(ctx, id)
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		_, err := c.Apply(ctx, run.ID.Session(), blaise.Event{
			Kind: blaise.EventDrainAsked, By: "runner " + r.Name, Run: run.ID,
			Until: c.now().Add(timeout), Reason: "runner " + r.Name + " drains",
		})
		if err != nil {
			return len(runs), err
		}
	}
	return len(runs), nil
}
