package control

import (
	"context"

	"blaise.dev/blaise"
)

// LastSeq answers the number of the last event in a session's transcript, 0
// for none.
func (c *Control) LastSeq(ctx context.Context, id blaise.SessionID) (int64, error) {
	return c.db.LastSeq(ctx, id)
}
