package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Delete forgets a session that has ended and of which nothing is left: what was
// said, its transcript, its files. A [blaise.Deletion] stays. What the session
// saved is on its runner, where it stays too; work that Blaise has itself goes
// with it, and only if dropWork says so. CodeRefused.
func (c *Control) Delete(
	ctx context.Context, by string, id blaise.SessionID, reason string, dropWork bool,
) (blaise.Deletion, error) {
	d, err := c.delete(ctx, by, id, reason, dropWork)
	if err == nil {
		c.scrub(ctx)
	}
	return d, err
}

// scrub leaves nothing to read of what was deleted; what it cannot reach now,
// retention comes for.
func (c *Control) scrub(ctx context.Context) {
	if err := c.db.Scrub(ctx); err != nil {
		c.log.Warn("deleted text may still be in the logs of the store", "error", err)
	}
}

func (c *Control) delete(
	ctx context.Context, by string, id blaise.SessionID, reason string, dropWork bool,
) (blaise.Deletion, error) {
	var d blaise.Deletion
	line := blaise.Audit{By: by, Kind: blaise.AuditSessionDeleted, Thing: string(id)}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		s, err := tx.Snapshot(id)
		if err != nil {
			return err
		}
		envs, err := tx.Environments(id)
		if err != nil {
			return err
		}
		heirs, err := tx.Heirs(id)
		if err != nil {
			return err
		}
		saves, err := tx.Saves(id)
		if err != nil {
			return err
		}
		work := blaise.OnlyHere(saves)
		if err := s.Deletable(envs, heirs); err != nil {
			return err
		}
		if err := s.KeepsWork(work); err != nil && !dropWork {
			return err
		}
		d = s.Session.Deletion(by, reason, c.now(), work)
		line.Detail = reason
		return tx.Delete(d)
	})
	if err != nil {
		return blaise.Deletion{}, err
	}
	c.hub.Wake(TopicSession(id))
	c.hub.Wake(TopicSessions)
	if err := c.db.Clear(ctx, id); err != nil { // retention comes for it
		c.log.Warn("transcript and files of a deleted session are still there", "session", id, "error", err)
	}
	return d, nil
}

// Settled lists sessions that may be deleted: they have ended, hold nothing, and
// nothing has happened to them for a time, as 90d. After is the cursor of the
// last one of the page before. CodeInvalid: the time is none.
func (c *Control) Settled(ctx context.Context, age, after string, limit int) ([]store.Summary, error) {
	keep, err := ParseAge(age)
	if err != nil {
		return nil, err
	}
	return c.db.Settled(ctx, c.now().Add(-keep), "", after, limit)
}

// ParseAge reads how long ago something was: 12h, 90d. CodeInvalid.
func ParseAge(s string) (time.Duration, error) {
	d, err := ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, blaise.Errorf(blaise.CodeInvalid, "%q is no time ago", s).WithHint("write 12h or 90d")
	}
	return d, nil
}
