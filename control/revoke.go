package control

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// RevokeRunner makes a runner's token and all its leases worthless, in one
// transaction (A31). What its sessions left is lost; waiting messages begin
// anew elsewhere.
func (c *Control) RevokeRunner(ctx context.Context, by string, id blaise.RunnerID) error {
	var plans []blaise.Plan
	line := blaise.Audit{By: by, Kind: blaise.AuditTokenRevoked, Thing: string(id)}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		plans = nil
		r, err := tx.Runner(id)
		if err != nil || r.Revoked {
			line.Kind = ""
			return err
		}
		line.Thing, line.Detail = r.Name, "runner "+string(id)
		plans, err = c.revoke(tx, by, r)
		return err
	})
	if err != nil {
		return err
	}
	c.hub.Wake(TopicRunner(id))
	for _, p := range plans {
		c.wake(p)
	}
	return c.seeOff(ctx, id)
}

// RevokeAfterDrain revokes a runner's token when nothing is left there (A31): it
// is offered nothing more but teardowns, and its runs are stopped when their
// turns have ended or the timeout is over. What they worked in, and what sleeps
// there, is taken down with its work at Blaise; the sessions go on elsewhere.
func (c *Control) RevokeAfterDrain(ctx context.Context, by string, id blaise.RunnerID, timeout time.Duration) error {
	ins, err := c.db.InstancesOf(ctx, id)
	if err != nil {
		return err
	}
	var runs []blaise.Run
	line := blaise.Audit{By: by, Kind: blaise.AuditTokenRevoked, Thing: string(id)}
	err = c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		r, err := tx.Runner(id)
		if err != nil || r.Revoked {
			return errors.Join(err, alreadyRevoked(r))
		}
		line.Thing, line.Detail = r.Name, "runner "+string(id)+", when nothing is left there"
		if r.Leaving == nil {
			r.Leaving = &store.Leaving{By: by, At: c.now(), Until: c.now().Add(timeout)}
		}
		if err := errors.Join(tx.PutRunner(r), drainAll(tx, ins)); err != nil {
			return err
		}
		runs, err = tx.LiveRuns(id)
		return err
	})
	if err != nil {
		return err
	}
	c.hub.Wake(TopicRunner(id))
	err = c.drainRuns(ctx, runs, blaise.Event{
		By: by, Text: "token revoke --after-drain", Until: c.now().Add(timeout),
		Reason: "its runner drains, and is revoked then", Leaves: true,
	})
	return errors.Join(err, c.seeOff(ctx, id))
}

func alreadyRevoked(r store.Runner) error {
	if !r.Revoked {
		return nil
	}
	return blaise.Errorf(blaise.CodeRefused, "the token of runner %s is revoked already", r.Name)
}

// revoke takes a runner's token and the leases of its runs.
func (c *Control) revoke(tx *store.Tx, by string, r store.Runner) ([]blaise.Plan, error) {
	r.Revoked, r.RevokedAt, r.RevokedBy = true, c.now(), by
	if err := tx.PutRunner(r); err != nil {
		return nil, err
	}
	runs, err := tx.LiveRuns(r.ID)
	if err != nil {
		return nil, err
	}
	var plans []blaise.Plan
	for _, run := range runs {
		p, err := c.decide(tx, run.ID.Session(), revokedEvent(r))
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func revokedEvent(r store.Runner) blaise.Event {
	return blaise.Event{
		Kind: blaise.EventRunnerRevoked, By: r.RevokedBy, Runner: r.ID, Reason: "runner " + r.Name + " was revoked",
	}
}

// tellAll tells the sessions that have something at a runner what becomes of it.
func (c *Control) tellAll(ctx context.Context, e blaise.Event) error {
	ids, err := c.db.SessionsAt(ctx, e.Runner)
	if err != nil {
		return err
	}
	for _, s := range ids {
		if _, err := c.Apply(ctx, s, e); err != nil && blaise.CodeOf(err) != blaise.CodeNotFound { // deleted meanwhile
			return err
		}
	}
	return nil
}
