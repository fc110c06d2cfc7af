package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"blaise.dev/blaise"
)

// What an environment holds, as its row says it.
const (
	holdsNothing = iota
	holdsMaybe
	holdsLeftovers
)

func holds(e blaise.Environment) int {
	switch {
	case e.LeftBehind() != "":
		return holdsLeftovers
	case e.MayHold():
		return holdsMaybe
	}
	return holdsNothing
}

// A Holder is an environment with its session.
type Holder struct {
	Session     blaise.Session
	Environment blaise.Environment
}

const selectHolders = `SELECT s.body, e.body FROM environments e JOIN sessions s ON s.id = e.session WHERE `

// HoldersOf lists the environments of a runner that may hold something.
func (db *DB) HoldersOf(ctx context.Context, runner blaise.RunnerID) ([]Holder, error) {
	return holders(db.read(ctx), selectHolders+`s.runner = ? AND e.holds > 0 ORDER BY e.id`, clean(string(runner)))
}

// QueryLeftBehind is the query of [DB.LeftBehind], for those who look at its
// plan: SQLite takes an index of some rows only where the query says which.
const QueryLeftBehind = selectHolders + `e.holds > 0 AND e.holds = ? ORDER BY e.session, e.id`

// LeftBehind lists the environments of which a person must see to something.
func (db *DB) LeftBehind(ctx context.Context) ([]Holder, error) {
	return holders(db.read(ctx), QueryLeftBehind, holdsLeftovers)
}

// Holder reads one environment with its session, of any generation. CodeNotFound.
func (db *DB) Holder(ctx context.Context, id blaise.EnvironmentID) (Holder, error) {
	all, err := holders(db.read(ctx), selectHolders+`e.id = ?`, clean(string(id)))
	if err == nil && len(all) == 0 {
		return Holder{}, notFound("environment " + string(id))
	}
	if err != nil {
		return Holder{}, err
	}
	return all[0], nil
}

func holders(q querier, query string, args ...any) ([]Holder, error) {
	var all []Holder
	err := q.each(func(row *sql.Rows) error {
		var session, environment []byte
		if err := row.Scan(&session, &environment); err != nil {
			return err
		}
		var h Holder
		if err := json.Unmarshal(session, &h.Session); err != nil {
			return err
		}
		if err := json.Unmarshal(environment, &h.Environment); err != nil {
			return err
		}
		all = append(all, h)
		return nil
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list environments: %w", err)
	}
	return all, nil
}

// PutInventory keeps what an instance found on its machine, as JSON, in place
// of what it found before.
func (tx *Tx) PutInventory(instance blaise.InstanceID, runner blaise.RunnerID, found []byte) error {
	return tx.exec(`INSERT INTO inventories (instance, runner, body) VALUES (?, ?, ?)
		ON CONFLICT (instance) DO UPDATE SET runner = excluded.runner, body = excluded.body`,
		clean(string(instance)), string(runner), string(found))
}

// Inventories are what the instances found last, by instance.
func (db *DB) Inventories(ctx context.Context) ([]json.RawMessage, error) {
	return bodies[json.RawMessage](db.read(ctx), `SELECT body FROM inventories ORDER BY instance`)
}
