package control

import (
	"context"
	"io"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// KnownSaves are the saves of a session's work, for a runner that has made some
// of them; deleted: the session was. CodeNotFound: there never was such a session;
// CodeDenied: its runs were all other runners'.
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
	if _, err := tx.Snapshot(id); err != nil {
		return nil, err
	}
	runs, err := tx.RunsOf(id)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		switch has, err := inheritor(tx, r, run); {
		case err != nil:
			return nil, err
		case has:
			return tx.Saves(id)
		}
	}
	return nil, blaise.Errorf(blaise.CodeDenied, "session %s has no run of runner %s", id, r.Name)
}

// inheritor reports whether what a run left on its machine is the runner's: it
// ran it, whoever has the session now, or another did that is revoked and whose
// place on the machine it took.
func inheritor(tx *store.Tx, r store.Runner, run blaise.Run) (bool, error) {
	if run.Runner == r.ID {
		return true, nil
	}
	instances, err := tx.InstancesOf(r.ID)
	if err != nil || !slices.ContainsFunc(instances, func(in store.Instance) bool { return in.Machine == run.Machine }) {
		return false, err
	}
	before, err := tx.Runner(run.Runner)
	return before.Revoked, err
}
