package store

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// A Runner is the holder of one runner token.
type Runner struct {
	ID        blaise.RunnerID
	Name      string
	Labels    map[string]string
	SingleUse bool
	Used      bool
	UsedBy    blaise.InstanceID // of a single-use one
	Session   blaise.SessionID  // of a single-use one: the only one it serves
	Revoked   bool
	TokenHash []byte
	Old       *OldToken // nil: it has had one alone
	CreatedAt time.Time
	RevokedAt time.Time
	RevokedBy string
	Leaving   *Leaving // nil: nobody has asked it to go
	By        string
}

// A Leaving is the wish that a runner be revoked when nothing is left there.
type Leaving struct {
	By    string
	At    time.Time
	Until time.Time // its turns that are open then are cancelled
}

// An OldToken is the token that a runner had before, for as long as it is good
// beside the new one.
type OldToken struct {
	Hash  []byte
	Until time.Time
	By    string // who has replaced it
	At    time.Time
}

// PutRunner writes a runner.
func (tx *Tx) PutRunner(r Runner) error {
	utc(&r.CreatedAt, &r.RevokedAt)
	var old any // NULL
	if r.Old != nil {
		old = r.Old.Hash
	}
	err := tx.exec(`INSERT INTO runners (id, token_hash, old_hash, created_at, body) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, old_hash = excluded.old_hash,
		body = excluded.body`,
		string(r.ID), r.TokenHash, old, nanos(r.CreatedAt), encode(r))
	if err != nil {
		return fmt.Errorf("write runner %s: %w", r.ID, err)
	}
	return nil
}

// Runner reads a runner, which stays as it is until the commit. CodeNotFound.
func (tx *Tx) Runner(id blaise.RunnerID) (Runner, error) { return runner(tx.q, id) }

// Runner reads a runner. CodeNotFound.
func (db *DB) Runner(ctx context.Context, id blaise.RunnerID) (Runner, error) {
	q := db.read(ctx)
	q.d.share = "" // nothing is written on it
	return runner(q, id)
}

func runner(q querier, id blaise.RunnerID) (Runner, error) {
	return need[Runner](q, "runner "+string(id),
		`SELECT body FROM runners WHERE id = ?`+q.d.share, clean(string(id)))
}

// Runners lists the runners, oldest first.
func (db *DB) Runners(ctx context.Context) ([]Runner, error) {
	return bodies[Runner](db.read(ctx), `SELECT body FROM runners ORDER BY created_at, id`)
}

// RunnerByToken finds the runner with a token, revoked or not, or with an old
// one, good still or not. CodeNotFound.
func (db *DB) RunnerByToken(ctx context.Context, hash []byte) (Runner, error) {
	return need[Runner](db.read(ctx), "runner token",
		`SELECT body FROM runners WHERE token_hash = ? OR old_hash = ?`, hash, hash)
}

// Busy counts the environments of which something may be at a runner: all, and
// of them those that wait for a person, as their session is held, or else as they
// are orphaned.
func (tx *Tx) Busy(runner blaise.RunnerID) (all, held, orphaned int, err error) {
	return busy(tx.q, runner)
}

// Busy is [Tx.Busy] as of now.
func (db *DB) Busy(ctx context.Context, runner blaise.RunnerID) (all, held, orphaned int, err error) {
	return busy(db.read(ctx), runner)
}

func busy(q querier, runner blaise.RunnerID) (all, held, orphaned int, err error) {
	_, err = q.one([]any{&all, &held, &orphaned}, `SELECT COUNT(*), COALESCE(SUM(s.held), 0),
		COALESCE(SUM(CASE WHEN s.held = 0 AND e.state = ? THEN 1 ELSE 0 END), 0)
		FROM sessions s JOIN environments e ON e.id = s.environment
		WHERE s.runner = ? AND e.state NOT IN (?, ?, ?)`,
		string(blaise.EnvOrphaned), clean(string(runner)),
		string(blaise.EnvNone), string(blaise.EnvDestroyed), string(blaise.EnvLost))
	return all, held, orphaned, err
}

// SessionsAt lists the sessions that a runner ran last and that still have an
// environment or have not ended: those a revoked token concerns (A31).
func (db *DB) SessionsAt(ctx context.Context, runner blaise.RunnerID) ([]blaise.SessionID, error) {
	return sessionIDs(db.read(ctx), `SELECT s.id FROM sessions s
		JOIN environments e ON e.id = s.environment
		WHERE s.runner = ? AND (s.ended = 0 OR e.state NOT IN (?, ?, ?)) ORDER BY s.created_at, s.id`,
		clean(string(runner)), string(blaise.EnvNone), string(blaise.EnvDestroyed),
		string(blaise.EnvLost))
}
