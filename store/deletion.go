package store

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// clearAgain is how long after a deletion the transcript and the files are looked
// for once more: what was on its way then has come by then, or never does.
const clearAgain = blobPatience + time.Minute

// Environments reads the environments of a session, of all generations.
func (tx *Tx) Environments(session blaise.SessionID) ([]blaise.Environment, error) {
	return bodies[blaise.Environment](tx.q,
		`SELECT body FROM environments WHERE session = ? ORDER BY generation`, string(session))
}

// Heirs lists the sessions that have not ended, go on from the work of another
// and have saved none of their own.
func (tx *Tx) Heirs(session blaise.SessionID) ([]blaise.SessionID, error) {
	open, err := bodies[blaise.Session](tx.q,
		`SELECT body FROM sessions WHERE ended = 0 AND body LIKE ?`, `%"From":"`+string(session)+`"%`)
	var heirs []blaise.SessionID
	for _, s := range open {
		if s.From == session && s.Saves == 0 { // the text may stand elsewhere
			heirs = append(heirs, s.ID)
		}
	}
	return heirs, err
}

// Delete removes all that is known of a session but d, which says that it was
// deleted. Its transcript and files are removed by [DB.Clear]: a crash before
// that leaves them to [DB.ClearDue].
func (tx *Tx) Delete(d blaise.Deletion) error {
	utc(&d.CreatedAt, &d.EndedAt, &d.DeletedAt)
	now := nanos(tx.db.now())
	err := tx.exec(`INSERT INTO deletions (session, at, clear_at, body) VALUES (?, ?, ?, ?)`,
		string(d.Session), now, now, encode(d))
	if err == nil {
		err = tx.deleteNews(d)
	}
	for _, query := range deletes {
		if err != nil {
			break
		}
		err = tx.exec(query, string(d.Session))
	}
	if err != nil {
		return fmt.Errorf("delete session %s: %w", d.Session, err)
	}
	return nil
}

// deletes are what Delete does, in an order in which each finds its rows.
var deletes = []string{
	`DELETE FROM start_keys WHERE message IN (SELECT id FROM messages WHERE session = ?)`,
	`DELETE FROM answers WHERE run IN (SELECT id FROM runs WHERE session = ?)`,
	`DELETE FROM plug_states WHERE environment IN (SELECT id FROM environments WHERE session = ?)`,
	`DELETE FROM messages WHERE session = ?`,
	`DELETE FROM questions WHERE session = ?`,
	`DELETE FROM clocks WHERE session = ?`,
	`DELETE FROM directives WHERE session = ?`,
	`DELETE FROM saves WHERE session = ?`,
	`DELETE FROM statuses WHERE session = ?`,
	`DELETE FROM history WHERE session = ?`,
	`DELETE FROM outbox WHERE session = ?`,
	`DELETE FROM runs WHERE session = ?`,
	`DELETE FROM environments WHERE session = ?`,
	`DELETE FROM sessions WHERE id = ?`,
}

// deleteNews removes what webhooks were told of the session; the times, of
// which there is an index, leave few rows to look through.
func (tx *Tx) deleteNews(d blaise.Deletion) error {
	return tx.exec(`DELETE FROM deliveries WHERE created_at >= ? AND body LIKE ?`,
		nanos(d.CreatedAt), `%"Session":"`+string(d.Session)+`"%`)
}

// Deletion is what stays of a session that was deleted, false if none was.
func (db *DB) Deletion(ctx context.Context, session blaise.SessionID) (blaise.Deletion, bool, error) {
	return deletion(db.read(ctx), session)
}

func deletion(q querier, session blaise.SessionID) (blaise.Deletion, bool, error) {
	return body[blaise.Deletion](q, `SELECT body FROM deletions WHERE session = ?`, clean(string(session)))
}

// noSession says why there is no session: CodeNotFound.
func noSession(q querier, id blaise.SessionID) error {
	d, deleted, err := deletion(q, id)
	switch {
	case err != nil:
		return err
	case deleted:
		return d.Err()
	}
	return notFound("session " + string(id))
}

// Clear removes the transcript and the files of a session that was deleted.
func (db *DB) Clear(ctx context.Context, session blaise.SessionID) error {
	err := db.records.do(ctx, func(q querier) error {
		for _, query := range []string{
			`DELETE FROM chunks WHERE session = ?`,
			`DELETE FROM records WHERE session = ?`,
			`DELETE FROM heads WHERE session = ?`,
		} {
			if _, err := q.exec(query, string(session)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete transcript of session %s: %w", session, err)
	}
	if err := db.DeleteBlobs(ctx, session); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *Tx) error {
		again := int64(clearAgain)
		return tx.exec(`UPDATE deletions SET clear_at = CASE WHEN at + ? > ? THEN at + ? ELSE 0 END
			WHERE session = ?`, again, nanos(db.now()), again, string(session))
	})
}

// ClearDue clears the sessions whose clearing is due, at most limit, and says
// how many there were.
func (db *DB) ClearDue(ctx context.Context, limit int) (int, error) {
	due, err := sessionIDs(db.read(ctx), `SELECT session FROM deletions
		WHERE clear_at > 0 AND clear_at <= ? ORDER BY clear_at LIMIT ?`, nanos(db.now()), limit)
	if err != nil {
		return 0, fmt.Errorf("find what to clear: %w", err)
	}
	for _, id := range due {
		if err := db.Clear(ctx, id); err != nil {
			return 0, err
		}
	}
	return len(due), nil
}

// Settled lists sessions, of an agent or "" for all, that have ended, hold
// nothing, and were not touched since a time, with the number of saves that Blaise has itself of each; the
// first created first. After is the Cursor of the last
// Summary of the page before. CodeInvalid: it is none.
func (db *DB) Settled(
	ctx context.Context, untouched time.Time, agent blaise.AgentName, after string, limit int,
) ([]Summary, error) {
	at, id, err := parseCursor(after)
	if err != nil {
		return nil, err
	}
	all, err := summaries(db.read(ctx), `s.ended = 1 AND s.held = 0 AND s.created_at < ? AND s.updated_at < ?
		AND (s.created_at, s.id) > (?, ?) AND ? IN ('', s.agent)
		AND NOT EXISTS (SELECT 1 FROM environments x WHERE x.session = s.id AND x.holds > 0)
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session = s.id AND r.final = 0)
		ORDER BY s.created_at, s.id LIMIT ?`, nanos(untouched), nanos(untouched), at, id, string(agent), limit)
	for i := 0; i < len(all) && err == nil; i++ {
		var saved []blaise.SavedWork
		saved, err = db.Saves(ctx, all[i].ID)
		all[i].Work = len(blaise.OnlyHere(saved))
	}
	if err != nil {
		return nil, fmt.Errorf("list settled sessions: %w", err)
	}
	return all, nil
}
