package store

import (
	"errors"
	"fmt"
	"strings"

	"blaise.dev/blaise"
)

// CreateSession writes a new session with all that snap holds.
// ErrExists: the id is taken, or was a deleted session's.
func (tx *Tx) CreateSession(snap blaise.Snapshot) error {
	id := snap.Session.ID
	if id == "" {
		return fmt.Errorf("create session: no id")
	}
	if _, deleted, err := deletion(tx.q, id); err != nil || deleted {
		return errors.Join(err, fmt.Errorf("create session %s: %w", id, ErrExists))
	}
	r := sessionRow(snap)
	n, err := tx.q.exec(`INSERT INTO sessions (id, agent, state, ended, held, runner, environment,
		waits, attention, search, notices, version, created_at, updated_at, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		r.id, r.agent, r.state, r.ended, r.held, r.runner, r.environment,
		r.waits, r.attention, r.search, snap.Session.Version, nanos(snap.Session.CreatedAt),
		nanos(tx.db.now()), r.body)
	if err != nil {
		return fmt.Errorf("create session %s: %w", id, err)
	}
	if n == 0 {
		return fmt.Errorf("create session %s: %w", id, ErrExists)
	}
	none := blaise.Snapshot{Session: snap.Session}
	if err := tx.writeParts(none, blaise.Plan{Next: snap, Issue: snap.Directives}); err != nil {
		return fmt.Errorf("create session %s: %w", id, err)
	}
	return nil
}

// updateSession writes the session's own row, one version on.
func (tx *Tx) updateSession(snap blaise.Snapshot, version int64) error {
	snap.Session.Version = version + 1
	r := sessionRow(snap)
	n, err := tx.q.exec(`UPDATE sessions SET agent = ?, state = ?, ended = ?, held = ?, runner = ?,
		environment = ?, waits = ?, attention = ?, search = ?, version = ?, updated_at = ?, body = ?
		WHERE id = ? AND version = ?`,
		r.agent, r.state, r.ended, r.held, r.runner, r.environment, r.waits, r.attention, r.search,
		version+1, nanos(tx.db.now()), r.body, r.id, version)
	if err == nil && n == 0 {
		return ErrConflict
	}
	return err
}

// A sessionColumns is a session's row: what queries look for, and the body.
type sessionColumns struct {
	id, agent, state, runner, environment, search, body string
	ended, held, waits, attention                       int
}

func sessionRow(snap blaise.Snapshot) sessionColumns {
	s := snap.Session
	utc(&s.HeldSince, &s.CreatedAt, &s.EndedAt, &s.ActiveSince)
	waits := 0
	for _, q := range snap.Questions {
		if q.State == blaise.QuestionOpen {
			waits++
		}
	}
	needed := waits > 0 || s.State == blaise.SessionWaiting || s.Blocked != "" ||
		snap.Environment.State == blaise.EnvOrphaned
	words := []string{string(s.ID), s.Title, s.Author, s.Reason, s.Repo}
	return sessionColumns{
		id: string(s.ID), agent: clean(string(s.Agent)), state: string(s.State),
		runner: clean(string(s.Runner)), environment: environmentID(snap),
		search: clean(strings.ToLower(strings.Join(words, "\n"))), body: encode(s),
		ended: flag(s.State == blaise.SessionEnded), held: flag(s.Held),
		waits: waits, attention: flag(needed),
	}
}

// environmentID is the id under which a snapshot's environment is kept.
func environmentID(snap blaise.Snapshot) string {
	if snap.Environment.ID != "" {
		return string(snap.Environment.ID)
	}
	return string(snap.Session.ID.Environment(snap.Environment.Generation))
}
