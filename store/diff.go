package store

import (
	"context"
	"fmt"

	"blaise.dev/blaise"
)

// KeepDiff keeps what a session changed, in the place of what was told before.
// It stands with the files: it may be long, and nothing waits for it.
func (db *DB) KeepDiff(ctx context.Context, session blaise.SessionID, d blaise.Diff) error {
	err := db.blobs.do(ctx, func(q querier) error {
		_, err := q.exec(`INSERT INTO diffs (session, body) VALUES (?, ?)
			ON CONFLICT (session) DO UPDATE SET body = excluded.body`, string(session), encode(d))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep diff of session %s: %w", session, err)
	}
	return nil
}

// Diff is what a session changed, as it was told last; false if nothing was.
func (db *DB) Diff(ctx context.Context, session blaise.SessionID) (blaise.Diff, bool, error) {
	return body[blaise.Diff](db.readBlobs(ctx), `SELECT body FROM diffs WHERE session = ?`, clean(string(session)))
}
