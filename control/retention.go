package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
)

const (
	// retentionEvery is how often retention looks.
	retentionEvery = 10 * time.Minute
	// retentionBatch is how many sessions are read at once; each is deleted by
	// itself, so that nobody waits for long.
	retentionBatch = 100
)

// AuthorRetention is who deletes sessions because of their age.
const AuthorRetention = "retention"

// A retention deletes what ended longer ago than is kept, and comes for what a
// crash has left of a deleted session.
type retention struct {
	c    *Control
	keep time.Duration // 0: for ever
	drop bool          // with work that Blaise alone may have, too
}

func (r retention) run(ctx context.Context) {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			r.c.log.Error("old sessions not deleted", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (r retention) look(ctx context.Context) error {
	cleared, err := r.clearDue(ctx)
	deleted := 0
	if err == nil && r.keep > 0 {
		deleted, err = r.deleteOld(ctx)
	}
	if cleared+deleted > 0 {
		r.c.scrub(ctx)
	}
	return err
}

func (r retention) clearDue(ctx context.Context) (cleared int, err error) {
	for n := retentionBatch; err == nil && n == retentionBatch; cleared += n {
		n, err = r.c.db.ClearDue(ctx, retentionBatch)
	}
	return cleared, err
}

func (r retention) deleteOld(ctx context.Context) (deleted int, err error) {
	kept := 0
	for after := ""; ; {
		old, err := r.c.db.Settled(ctx, r.c.now().Add(-r.keep), after, retentionBatch)
		if err != nil {
			return deleted, err
		}
		for _, s := range old {
			if s.Work > 0 && !r.drop {
				kept++
				continue
			}
			_, err := r.c.delete(ctx, AuthorRetention, s.ID, "it ended longer ago than is kept, "+blaise.Days(r.keep), r.drop)
			switch blaise.CodeOf(err) {
			case blaise.CodeRefused, blaise.CodeNotFound: // another goes on from it; another process was first
				continue
			}
			if err != nil {
				return deleted, err
			}
			deleted++
		}
		if len(old) < retentionBatch {
			break
		}
		after = old[len(old)-1].Cursor()
	}
	if deleted > 0 {
		r.c.log.Info("old sessions deleted", "sessions", deleted, "older_than", blaise.Days(r.keep))
	}
	if kept > 0 {
		r.c.log.Info("old sessions are kept: Blaise may be the only one who has their saved work; see `blaise delete --older-than` "+
			"and serve --retain-drops-work", "sessions", kept)
	}
	return deleted, nil
}
