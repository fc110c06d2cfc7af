package control

import (
	"context"
	"io"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// KnownSaves are the saves of a session's work, for the runner that has it;
// deleted: the session was. CodeNotFound: there never was such a session;
// CodeDenied: it is another runner's.
func (c *Control) KnownSaves(
	ctx context.Context, r store.Runner, id blaise.SessionID,
) (saves []blaise.SavedWork, deleted bool, err error) {
	err = c.db.Tx(ctx, func(tx *store.Tx) error {
		saves, err = savesOf(tx, r, id)
		return err
	})
	if blaise.CodeOf(err) == blaise.CodeNotFound {
		_, was, findErr := c.db.Deletion(ctx, id)
		if was || findErr != nil {
			return nil, was, findErr
		}
	}
	return saves, false, err
}

// KeepSave keeps a save as a bundle, which from gives: the runner that has it
// will not for long. Errors as of KnownSaves and [store.DB.PutBlob]; CodeRefused:
// the session has no save n of the commit.
func (c *Control) KeepSave(
	ctx context.Context, r store.Runner, n int, commit string, f store.Blob, from io.Reader,
) error {
	saveAt := func(tx *store.Tx) (blaise.SavedWork, error) {
		saves, err := savesOf(tx, r, f.Session)
		i := slices.IndexFunc(saves, func(w blaise.SavedWork) bool { return w.N == n && w.Commit == commit })
		if err == nil && i < 0 {
			err = blaise.Errorf(blaise.CodeRefused, "session %s has no save %d of commit %.12s", f.Session, n, commit)
		}
		if err != nil {
			return blaise.SavedWork{}, err
		}
		return saves[i], nil
	}
	err := c.db.Tx(ctx, func(tx *store.Tx) error { _, err := saveAt(tx); return err })
	if err == nil {
		f, err = c.db.PutBlob(ctx, f, from)
	}
	if err != nil {
		return err
	}
	err = c.db.Tx(ctx, func(tx *store.Tx) error {
		w, err := saveAt(tx)
		if err != nil || w.Bundle != "" {
			return err
		}
		w.Bundle = f.SHA256
		return tx.KeepSave(f.Session, w)
	})
	if err == nil {
		c.hub.Wake(TopicSession(f.Session))
	}
	return err
}

func savesOf(tx *store.Tx, r store.Runner, id blaise.SessionID) ([]blaise.SavedWork, error) {
	s, err := tx.Snapshot(id)
	if err != nil {
		return nil, err
	}
	if s.Session.Runner != r.ID {
		return nil, blaise.Errorf(blaise.CodeDenied, "session %s is not one of runner %s", id, r.Name)
	}
	return tx.Saves(id)
}
