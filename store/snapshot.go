package store

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"blaise.dev/blaise"
)

// Snapshot locks a session and loads it; Policy is left zero. CodeNotFound.
func (tx *Tx) Snapshot(id blaise.SessionID) (blaise.Snapshot, error) {
	var snap blaise.Snapshot
	s, env, err := tx.lockSession(id)
	if err != nil {
		return snap, err
	}
	snap.Session = s
	snap.Environment, err = need[blaise.Environment](tx.q, "environment "+env,
		`SELECT body FROM environments WHERE id = ?`, env)
	if err != nil {
		return snap, fmt.Errorf("load session %s: %w", id, err)
	}
	if err := tx.loadRuns(&snap); err != nil {
		return snap, fmt.Errorf("load runs of session %s: %w", id, err)
	}
	if err := tx.loadTalk(&snap); err != nil {
		return snap, fmt.Errorf("load session %s: %w", id, err)
	}
	if snap.Clocks, err = clocks(tx.q, id); err != nil {
		return snap, fmt.Errorf("load clocks of session %s: %w", id, err)
	}
	return snap, nil
}

func (tx *Tx) lockSession(id blaise.SessionID) (s blaise.Session, env string, err error) {
	var raw []byte
	found, err := tx.q.one([]any{&env, &raw},
		`SELECT environment, body FROM sessions WHERE id = ?`+tx.q.d.lock, string(id))
	if err == nil && !found {
		return s, "", noSession(tx.q, id)
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, "", fmt.Errorf("load session %s: %w", id, err)
	}
	return s, env, nil
}

// loadRuns finds the run that has not ended, and the one that ended last: not
// always that of the highest number, a run may be taken back (X2).
func (tx *Tx) loadRuns(snap *blaise.Snapshot) error {
	return tx.q.each(func(row *sql.Rows) error {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return err
		}
		var r blaise.Run
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		switch {
		case !r.Final() && snap.Run == nil:
			snap.Run = &r
		case r.Final() && snap.Last == nil && !r.AcceptedAt.IsZero():
			snap.Last = &r
		}
		return nil
	}, `SELECT body FROM runs WHERE session = ? ORDER BY final, ended_at DESC, attempt DESC LIMIT 8`,
		string(snap.Session.ID))
}

// loadTalk finds what is said, asked and told, and the last save.
func (tx *Tx) loadTalk(snap *blaise.Snapshot) error {
	id := string(snap.Session.ID)
	var err error
	snap.Messages, err = bodies[blaise.Message](tx.q,
		`SELECT body FROM messages WHERE session = ? AND final = 0 ORDER BY n`, id)
	if err != nil {
		return err
	}
	snap.Questions, err = bodies[blaise.Question](tx.q,
		`SELECT body FROM questions WHERE session = ? AND final = 0 ORDER BY n`, id)
	if err != nil {
		return err
	}
	if snap.Session.Saves > 0 {
		snap.Save, _, err = body[blaise.SavedWork](tx.q,
			`SELECT body FROM saves WHERE session = ? ORDER BY n DESC LIMIT 1`, id)
	}
	if err != nil || snap.Run == nil {
		return err
	}
	snap.Directives, err = openDirectives(tx.q, snap.Run.ID)
	return err
}
