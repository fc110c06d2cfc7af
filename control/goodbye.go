package control

import (
	"context"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Goodbye notes that an instance stopped and works on nothing: from now on it is
// not here, until it says hello again. Saying it twice is safe. CodeNotFound: it
// is not known, or another process (boot) has taken its place. CodeRefused: runs
// of it live, which the next process is to adopt.
func (c *Control) Goodbye(ctx context.Context, r store.Runner, id blaise.InstanceID, boot string) error {
	return c.db.Tx(ctx, func(tx *store.Tx) error {
		in, err := tx.Instance(id)
		if err = same(in, err, r, id, boot); err != nil || !in.StoppedAt.IsZero() {
			return err
		}
		runs, err := tx.LiveRunsOf(id)
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			return blaise.Errorf(blaise.CodeRefused, "instance %s has %s that did not end: it has not stopped",
				id, blaise.Count(len(runs), "run"))
		}
		in.LastSeen = c.now()
		in.StoppedAt = in.LastSeen
		return tx.PutInstance(in)
	})
}

// online says that an instance is here: it asked a moment ago, and has not said
// goodbye since.
func (c *Control) online(in store.Instance) bool {
	return in.StoppedAt.IsZero() && c.now().Sub(in.LastSeen) < OnlineWithin
}

// absence is how people are told that an instance is not here.
func (c *Control) absence(in store.Instance) string {
	if !in.StoppedAt.IsZero() {
		return fmt.Sprintf("was stopped at %s, %s ago", in.StoppedAt.Format("2006-01-02 15:04:05 MST"),
			blaise.Span(c.now().Sub(in.StoppedAt)))
	}
	return fmt.Sprintf("was last heard %s ago", blaise.Span(c.now().Sub(in.LastSeen)))
}
