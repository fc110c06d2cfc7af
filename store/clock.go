package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// A Due is a clock whose time has come, or will.
type Due struct {
	Session blaise.SessionID
	Clock   blaise.Clock
}

type clockKey struct {
	kind    blaise.ClockKind
	subject string
}

func keyOf(c blaise.Clock) clockKey { return clockKey{c.Kind, c.Subject} }

func (tx *Tx) writeClocks(before blaise.Snapshot, plan blaise.Plan) error {
	s := plan.Next.Session
	was := map[clockKey]blaise.Clock{}
	for _, c := range before.Clocks {
		was[keyOf(c)] = c
	}
	for _, c := range plan.Next.Clocks {
		old, known := was[keyOf(c)]
		delete(was, keyOf(c))
		if known && old == c && s.Held == before.Session.Held {
			continue
		}
		if err := tx.writeClock(s, c); err != nil {
			return fmt.Errorf("write clock %s: %w", c.Kind, err)
		}
	}
	for k := range was {
		err := tx.exec(`DELETE FROM clocks WHERE session = ? AND kind = ? AND subject = ?`,
			string(s.ID), string(k.kind), k.subject)
		if err != nil {
			return fmt.Errorf("delete clock %s: %w", k.kind, err)
		}
	}
	return nil
}

func (tx *Tx) writeClock(s blaise.Session, c blaise.Clock) error {
	return tx.exec(`INSERT INTO clocks (session, kind, subject, since, due_at, armed, setting)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, kind, subject) DO UPDATE SET
		since = excluded.since, due_at = excluded.due_at, armed = excluded.armed,
		setting = excluded.setting`,
		string(s.ID), string(c.Kind), c.Subject, nanos(c.Since), nanos(c.DueAt),
		flag(!s.Held && !c.DueAt.IsZero()), clean(c.Setting))
}

// TouchClock moves a clock, if it still runs, so that it is due at due and runs
// as long as before, without changing the session's version.
func (tx *Tx) TouchClock(d Due, due time.Time) error {
	return tx.exec(`UPDATE clocks SET since = since + (? - due_at), due_at = ?
		WHERE session = ? AND kind = ? AND subject = ?`,
		nanos(due), nanos(due), string(d.Session), string(d.Clock.Kind), d.Clock.Subject)
}

const clockColumns = `session, kind, subject, since, due_at, setting`

func scanDue(q querier, query string, args ...any) ([]Due, error) {
	var all []Due
	err := q.each(func(row *sql.Rows) error {
		var d Due
		var since, due int64
		err := row.Scan(&d.Session, &d.Clock.Kind, &d.Clock.Subject, &since, &due, &d.Clock.Setting)
		d.Clock.Since, d.Clock.DueAt = fromNanos(since), fromNanos(due)
		all = append(all, d)
		return err
	}, query, args...)
	return all, err
}

// clocks lists a session's clocks, the next one first.
func clocks(q querier, id blaise.SessionID) ([]blaise.Clock, error) {
	due, err := scanDue(q, `SELECT `+clockColumns+` FROM clocks WHERE session = ?
		ORDER BY due_at, kind, subject`, string(id))
	var all []blaise.Clock
	for _, d := range due {
		all = append(all, d.Clock)
	}
	return all, err
}

// Clocks lists a session's clocks, the next one first.
func (db *DB) Clocks(ctx context.Context, id blaise.SessionID) ([]blaise.Clock, error) {
	return clocks(db.read(ctx), id)
}

// QueryDue is the query of [DB.Due], for those who look at its plan.
const QueryDue = `SELECT ` + clockColumns + ` FROM clocks WHERE armed = 1 AND due_at <= ?
	ORDER BY due_at LIMIT ?`

// Due lists the clocks due at now, the most overdue first. Clocks of held
// sessions stand still.
func (db *DB) Due(ctx context.Context, now time.Time, limit int) ([]Due, error) {
	return scanDue(db.read(ctx), QueryDue, nanos(now), limit)
}

// NextDue says when the next clock is due; false if none runs.
func (db *DB) NextDue(ctx context.Context) (time.Time, bool, error) {
	return nextDue(db.read(ctx))
}

func nextDue(q querier) (time.Time, bool, error) {
	var due int64
	found, err := q.one([]any{&due},
		`SELECT due_at FROM clocks WHERE armed = 1 ORDER BY due_at LIMIT 1`)
	return fromNanos(due), found, err
}

// SessionsAhead lists, above an id, the sessions with a clock that began after
// now, or a run offered after now: the clock of the machine was wrong then. It
// looks at every clock.
func (db *DB) SessionsAhead(ctx context.Context, now time.Time, above blaise.SessionID, limit int) ([]blaise.SessionID, error) {
	return sessionIDs(db.read(ctx), `SELECT session FROM clocks WHERE since > ? AND session > ?
		UNION SELECT session FROM runs WHERE queue IS NOT NULL AND offered_at > ? AND session > ?
		ORDER BY session LIMIT ?`, nanos(now), string(above), nanos(now), string(above), limit)
}
