package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"
)

// View answers all of a session.
func (c *Control) View(ctx context.Context, id blaise.SessionID) (store.View, error) {
	return c.db.View(ctx, id)
}

// Find answers the one session whose id begins with prefix.
func (c *Control) Find(ctx context.Context, prefix string) (blaise.SessionID, error) {
	return c.db.FindSession(ctx, prefix)
}

// Sessions lists sessions, the newest first.
func (c *Control) Sessions(ctx context.Context, f store.Filter) ([]store.Summary, error) {
	return c.db.Sessions(ctx, f)
}

// Counts answers how many sessions are in each state.
func (c *Control) Counts(ctx context.Context) (map[blaise.SessionState]int, error) {
	return c.db.Counts(ctx)
}

// FailedFor is how long a session that has failed is told of unasked.
const FailedFor = 24 * time.Hour

// Ended answers how many sessions have ended with each outcome.
func (c *Control) Ended(ctx context.Context) (map[blaise.Outcome]int, error) {
	return c.db.Ended(ctx)
}

// Needy answers how many sessions need a person, and how many have failed
// within FailedFor.
func (c *Control) Needy(ctx context.Context) (needs, failed int, err error) {
	return c.db.Needy(ctx, c.now().Add(-FailedFor))
}

// LastSeq answers the number of the last event in a session's transcript, 0
// for none.
func (c *Control) LastSeq(ctx context.Context, id blaise.SessionID) (int64, error) {
	return c.db.LastSeq(ctx, id)
}

// Events answers a session's transcript above a number.
func (c *Control) Events(ctx context.Context, id blaise.SessionID, after int64, limit int) ([]transcript.Event, error) {
	return c.db.Events(ctx, id, after, limit)
}

// History answers a session's changes, the newest last.
func (c *Control) History(ctx context.Context, id blaise.SessionID, limit int) ([]blaise.Change, error) {
	return c.db.History(ctx, id, limit)
}

// RunOf answers a run in any state.
func (c *Control) RunOf(ctx context.Context, id blaise.RunID) (blaise.Run, error) {
	var run blaise.Run
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		var err error
		run, err = tx.Run(id)
		return err
	})
	return run, err
}

// PlugState answers what a plug of a run's environment saved; nil for nothing.
func (c *Control) PlugState(ctx context.Context, run blaise.Run, plug string) ([]byte, error) {
	v, err := c.db.View(ctx, run.ID.Session())
	if err != nil {
		return nil, err
	}
	return c.db.PlugState(ctx, v.Environment.ID, plug)
}
