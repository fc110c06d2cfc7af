package control

import (
	"context"
	"io"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// KeepFile keeps a file for the session of a run; errors as of [store.DB.PutBlob].
// A run whose lease was taken over is refused with CodeStale.
func (c *Control) KeepFile(
	ctx context.Context, run blaise.Run, f store.Blob, from io.Reader,
) (store.Blob, error) {
	if run.Final() && run.Outcome == blaise.RunLost {
		return store.Blob{}, stale(run)
	}
	f.Session = run.ID.Session()
	return c.db.PutBlob(ctx, f, from)
}

// Files lists what is kept for a session, oldest first.
func (c *Control) Files(ctx context.Context, id blaise.SessionID) ([]store.Blob, error) {
	return c.db.Blobs(ctx, id)
}

// OpenFile finds a file of a session; CodeNotFound if it has none of the hash.
func (c *Control) OpenFile(ctx context.Context, id blaise.SessionID, sha256 string) (store.Blob, io.Reader, error) {
	return c.db.OpenBlob(ctx, id, sha256)
}

// OpenFileOf finds a file for a run: one of its session's, or of the session
// that this one goes on from.
func (c *Control) OpenFileOf(ctx context.Context, run blaise.Run, sha256 string) (store.Blob, io.Reader, error) {
	b, r, err := c.db.OpenBlob(ctx, run.ID.Session(), sha256)
	if blaise.CodeOf(err) != blaise.CodeNotFound {
		return b, r, err
	}
	var from blaise.SessionID
	if txErr := c.db.Tx(ctx, func(tx *store.Tx) error {
		s, err := tx.Snapshot(run.ID.Session())
		from = s.Session.From
		return err
	}); txErr != nil || from == "" {
		return b, r, err
	}
	return c.db.OpenBlob(ctx, from, sha256)
}
