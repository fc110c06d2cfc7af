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
	if err == nil {
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

// deleteOld deletes by the agents' own settings, and what is left by Blaise's.
func (r retention) deleteOld(ctx context.Context) (deleted int, err error) {
	agents, err := r.c.db.Agents(ctx)
	if err != nil {
		return 0, err
	}
	own := map[blaise.AgentName]bool{}
	for _, a := range agents {
		if a.Policy.Retain == nil {
			continue
		}
		own[a.Name] = true
		of := expiry{r: r, keep: *a.Policy.Retain, agent: a.Name, setting: "policy.retain of agent " + string(a.Name)}
		n, err := of.enforce(ctx)
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	n, err := expiry{r: r, keep: r.keep, except: own, setting: "serve --retain"}.enforce(ctx)
	return deleted + n, err
}

// An expiry is one setting of how long sessions are kept, and whose.
type expiry struct {
	r       retention
	keep    time.Duration             // 0: for ever
	agent   blaise.AgentName          // "" for all
	except  map[blaise.AgentName]bool // of all, these not
	setting string
}

func (e expiry) enforce(ctx context.Context) (deleted int, err error) {
	if e.keep == 0 {
		return 0, nil
	}
	c, kept := e.r.c, 0
	for after := ""; ; {
		old, err := c.db.Settled(ctx, c.now().Add(-e.keep), e.agent, after, retentionBatch)
		if err != nil {
			return deleted, err
		}
		for _, s := range old {
			switch {
			case e.except[s.Agent]:
				continue
			case s.Work > 0 && !e.r.drop:
				kept++
				continue
			}
			why := "it ended longer ago than is kept, " + blaise.Days(e.keep) + " (" + e.setting + ")"
			_, err := c.delete(ctx, AuthorRetention, s.ID, why, e.r.drop)
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
	e.tell(deleted, kept)
	return deleted, nil
}

func (e expiry) tell(deleted, kept int) {
	if deleted > 0 {
		e.r.c.log.Info("old sessions deleted", "sessions", deleted, "older_than", blaise.Days(e.keep), "setting", e.setting)
	}
	if kept > 0 {
		e.r.c.log.Info("old sessions are kept: Blaise may be the only one who has their saved work; see `blaise delete --older-than` "+
			"and serve --retain-drops-work", "sessions", kept)
	}
}

// foreseenMost bounds how many sessions are read to say what would be deleted.
const foreseenMost = 1000

// foresee says which sessions of an agent a policy would have deleted at the next
// look.
func (r retention) foresee(ctx context.Context, name blaise.AgentName, p blaise.Policy) ([]string, error) {
	keep := r.keep
	if p.Retain != nil {
		keep = *p.Retain
	}
	if keep == 0 {
		return nil, nil
	}
	old, err := r.c.db.Settled(ctx, r.c.now().Add(-keep), name, "", foreseenMost)
	var gone []blaise.SessionID
	for _, s := range old {
		if s.Work == 0 || r.drop {
			gone = append(gone, s.ID)
		}
	}
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	return []string{counted(gone) + " be deleted within " + retentionEvery.String() + ", as they ended more than " +
		blaise.Days(keep) + " ago: " + someOf(gone)}, nil
}
