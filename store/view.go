package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"blaise.dev/blaise"
)

// A View is all of a session, final rows too, as of one moment.
type View struct {
	Session     blaise.Session
	Environment blaise.Environment
	Older       []blaise.Environment // of earlier generations, oldest first
	Runs        []blaise.Run
	Messages    []blaise.Message
	Questions   []blaise.Question
	Clocks      []blaise.Clock // the next one first
	Saves       []blaise.SavedWork
	Directives  []blaise.Directive // open ones
	Status      blaise.AgentStatus
	UpdatedAt   time.Time
}

// View reads a session. CodeNotFound.
func (db *DB) View(ctx context.Context, id blaise.SessionID) (View, error) {
	var v View
	err := db.together(ctx, func(q querier) error {
		env, err := v.readSession(q, id)
		if err != nil {
			return err
		}
		if err := v.readEnvironments(q, id, env); err != nil {
			return err
		}
		return v.readRest(q, string(id))
	})
	if err != nil && !isNotFound(err) {
		err = fmt.Errorf("view session %s: %w", id, err)
	}
	return v, err
}

func (v *View) readSession(q querier, id blaise.SessionID) (env string, err error) {
	var raw []byte
	var updated int64
	found, err := q.one([]any{&env, &updated, &raw},
		`SELECT environment, updated_at, body FROM sessions WHERE id = ?`, clean(string(id)))
	if err == nil && !found {
		err = noSession(q, id)
	}
	if err != nil {
		return "", err
	}
	v.UpdatedAt = fromNanos(updated)
	return env, json.Unmarshal(raw, &v.Session)
}

func (v *View) readEnvironments(q querier, id blaise.SessionID, present string) error {
	return q.each(func(row *sql.Rows) error {
		var env string
		var raw []byte
		if err := row.Scan(&env, &raw); err != nil {
			return err
		}
		var e blaise.Environment
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		if env == present {
			v.Environment = e
		} else {
			v.Older = append(v.Older, e)
		}
		return nil
	}, `SELECT id, body FROM environments WHERE session = ? ORDER BY generation`, string(id))
}

func (v *View) readRest(q querier, id string) (err error) {
	read := func(into func() error) {
		if err == nil {
			err = into()
		}
	}
	read(func() (err error) {
		v.Runs, err = bodies[blaise.Run](q,
			`SELECT body FROM runs WHERE session = ? ORDER BY attempt`, id)
		return err
	})
	read(func() (err error) {
		v.Messages, err = bodies[blaise.Message](q,
			`SELECT body FROM messages WHERE session = ? ORDER BY n`, id)
		return err
	})
	read(func() (err error) {
		v.Questions, err = bodies[blaise.Question](q,
			`SELECT body FROM questions WHERE session = ? ORDER BY n`, id)
		return err
	})
	read(func() (err error) {
		v.Directives, err = bodies[blaise.Directive](q,
			`SELECT body FROM directives WHERE session = ? AND state = ? ORDER BY n`,
			id, DirectiveOpen)
		return err
	})
	read(func() (err error) { v.Clocks, err = clocks(q, blaise.SessionID(id)); return err })
	read(func() (err error) { v.Status, err = status(q, blaise.SessionID(id)); return err })
	read(func() (err error) { v.Saves, err = saves(q, blaise.SessionID(id)); return err })
	return err
}

// History lists a session's last changes, oldest first.
func (db *DB) History(
	ctx context.Context, session blaise.SessionID, limit int,
) ([]blaise.Change, error) {
	all, err := bodies[blaise.Change](db.read(ctx), `SELECT body FROM history WHERE session = ?
		ORDER BY version DESC, n DESC LIMIT ?`, clean(string(session)), limit)
	slices.Reverse(all)
	return all, err
}
