package store

import (
	"context"
	"fmt"
	"reflect"

	"blaise.dev/blaise"
)

func (tx *Tx) writeEnvironment(before blaise.Snapshot, plan blaise.Plan) error {
	e := plan.Next.Environment
	if before.Environment.State != "" && reflect.DeepEqual(before.Environment, e) {
		return nil
	}
	err := tx.exec(`INSERT INTO environments (id, session, generation, state, holds, body)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET generation = excluded.generation,
		state = excluded.state, holds = excluded.holds, body = excluded.body`,
		environmentID(plan.Next), string(plan.Next.Session.ID), e.Generation, string(e.State), holds(e),
		encode(e))
	if err != nil {
		return fmt.Errorf("write environment: %w", err)
	}
	return nil
}

// PutEnvironment writes an environment of an earlier generation than its
// session's present one.
func (tx *Tx) PutEnvironment(e blaise.Environment) error {
	return tx.exec(`UPDATE environments SET state = ?, holds = ?, body = ? WHERE id = ?`,
		string(e.State), holds(e), encode(e), string(e.ID))
}

// KeepConfig keeps the blaise.yml an environment was opened with. CodeNotFound.
func (tx *Tx) KeepConfig(env blaise.EnvironmentID, yml []byte) error {
	n, err := tx.q.exec(`UPDATE environments SET config = ? WHERE id = ?`, yml, string(env))
	if err == nil && n == 0 {
		return notFound("environment " + string(env))
	}
	return err
}

// Config reads the blaise.yml an environment was opened with, nil for none.
func (tx *Tx) Config(env blaise.EnvironmentID) ([]byte, error) {
	var yml []byte
	_, err := tx.q.one([]any{&yml}, `SELECT config FROM environments WHERE id = ?`, string(env))
	return yml, err
}

// KeepSave keeps a save of a session's work. Write does it too.
func (tx *Tx) KeepSave(session blaise.SessionID, w blaise.SavedWork) error {
	utc(&w.At)
	return tx.exec(`INSERT INTO saves (session, n, body) VALUES (?, ?, ?)
		ON CONFLICT (session, n) DO UPDATE SET body = excluded.body`,
		string(session), w.N, encode(w))
}

// Saves lists a session's saves in order.
func (db *DB) Saves(ctx context.Context, session blaise.SessionID) ([]blaise.SavedWork, error) {
	return saves(db.read(ctx), session)
}

// Saves lists a session's saves in order.
func (tx *Tx) Saves(session blaise.SessionID) ([]blaise.SavedWork, error) {
	return saves(tx.q, session)
}

func saves(q querier, session blaise.SessionID) ([]blaise.SavedWork, error) {
	return bodies[blaise.SavedWork](q,
		`SELECT body FROM saves WHERE session = ? ORDER BY n`, string(session))
}
