package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// DrainTimeout is how long a drain leaves turns open when nobody says.
const DrainTimeout = 30 * time.Minute

// Drain takes an instance out of service (X11): it is offered nothing more, and
// each of its runs is stopped so that its session can be resumed, when its turn
// has ended or the timeout is over. It answers how many runs there still are;
// asked again it catches those that were accepted meanwhile.
func (c *Control) Drain(ctx context.Context, r store.Runner, id blaise.InstanceID, timeout time.Duration) (int, error) {
	by := "runner " + r.Name
	line := blaise.Audit{By: by, Kind: blaise.AuditRunnerDrained, Thing: r.Name, Detail: "instance " + string(id)}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		in, err := tx.Instance(id)
		if err != nil || in.Draining {
			line.Kind = "" // it is asked again and again
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
	return len(runs), c.drainRuns(ctx, runs, blaise.Event{
		By: by, Text: "runner drain", Until: c.now().Add(timeout),
		Reason: "runner " + r.Name + " drains",
	})
}

// drainRuns asks for the stop of runs, as e says.
func (c *Control) drainRuns(ctx context.Context, runs []blaise.Run, e blaise.Event) error {
	e.Kind = blaise.EventDrainAsked
	for _, run := range runs {
		e.Run = run.ID
		if _, err := c.Apply(ctx, run.ID.Session(), e); err != nil {
			return err
		}
	}
	return nil
}

// drainAll marks instances as out of service.
func drainAll(tx *store.Tx, ins []store.Instance) error {
	for _, i := range ins {
		in, err := tx.Instance(i.ID)
		if err != nil {
			return err
		}
		in.Draining = true
		if err := tx.PutInstance(in); err != nil {
			return err
		}
	}
	return nil
}
