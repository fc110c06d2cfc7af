package control

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
)

// diffFresh is how old what was told of a session's changes may be, or that its
// run was asked, so that it is not asked to look again.
const diffFresh = 3 * time.Second

// KeepDiff keeps what a run tells of what its session changed. CodeStale: the
// run was lost.
func (c *Control) KeepDiff(ctx context.Context, run blaise.Run, d blaise.Diff) error {
	if run.Final() && run.Outcome == blaise.RunLost {
		return stale(run)
	}
	d.Run, d.At = run.ID, c.now()
	err := c.db.KeepDiff(ctx, run.ID.Session(), d)
	if err == nil {
		c.hub.Wake(TopicSession(run.ID.Session()))
	}
	return err
}

// A Look is what is known of a session's changes.
type Look struct {
	blaise.Diff
	Known bool // some run has told
	Asked bool // a run was asked to look, and has not told yet
}

// Diff says what a session changed. Its live run, if it has one that can look,
// is asked to, unless it told or was asked only a moment ago, or asked says that
// it was asked then; Diff waits for that up to wait.
func (c *Control) Diff(
	ctx context.Context, by string, id blaise.SessionID, asked time.Time, wait time.Duration,
) (Look, error) {
	woken, leave := c.hub.Follow(TopicSession(id))
	defer leave()
	first := asked.IsZero()
	if first {
		asked = c.now().Add(-diffFresh)
		if l, err := c.known(ctx, id, asked); err != nil || !l.Asked {
			return l, err
		}
	}
	if first && !c.looks.recent(id, c.now()) {
		plan, err := c.Apply(ctx, id, blaise.Event{Kind: blaise.EventDiffAsked, By: by})
		if err != nil || plan.Verdict != blaise.VerdictPending {
			l, readErr := c.known(ctx, id, time.Time{})
			return l, errors.Join(err, readErr)
		}
		c.looks.ask(id, c.now())
	}
	return c.awaitDiff(ctx, id, asked, woken, wait)
}

// awaitDiff waits until a run has told since it was asked.
func (c *Control) awaitDiff(
	ctx context.Context, id blaise.SessionID, asked time.Time, woken <-chan struct{}, wait time.Duration,
) (Look, error) {
	late := time.After(wait)
	for {
		l, err := c.known(ctx, id, asked)
		if err != nil || !l.Asked {
			return l, err
		}
		select {
		case <-woken:
		case <-time.After(time.Second): // another replica may have got it
		case <-late:
			return l, nil
		case <-ctx.Done():
			return l, context.Cause(ctx)
		}
	}
}

// known reads what was told; Asked says that it is of before since.
func (c *Control) known(ctx context.Context, id blaise.SessionID, since time.Time) (Look, error) {
	d, known, err := c.db.Diff(ctx, id)
	return Look{Diff: d, Known: known, Asked: d.At.Before(since)}, err
}
