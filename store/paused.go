package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// A Paused is an environment that is paused, with its session.
type Paused struct {
	Holder
	Since time.Time
	DueAt time.Time // when it is given up; zero: never, or not while its session is held
}

// Paused lists the environments that are paused, the longest first.
func (db *DB) Paused(ctx context.Context, limit int) ([]Paused, error) {
	var all []Paused
	err := db.read(ctx).each(func(row *sql.Rows) error {
		var session, environment []byte
		var since, due int64
		if err := row.Scan(&session, &environment, &since, &due); err != nil {
			return err
		}
		p := Paused{Since: fromNanos(since), DueAt: fromNanos(due)}
		if err := json.Unmarshal(session, &p.Session); err != nil {
			return err
		}
		err := json.Unmarshal(environment, &p.Environment)
		all = append(all, p)
		return err
	}, `SELECT s.body, e.body, COALESCE(c.since, s.updated_at) AS since,
		CASE WHEN c.armed = 1 THEN c.due_at ELSE 0 END
		FROM environments e JOIN sessions s ON s.environment = e.id
		LEFT JOIN clocks c ON c.session = s.id AND c.kind = 'max_paused'
		WHERE e.holds > 0 AND e.state = 'paused' ORDER BY since, s.id LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("list paused environments: %w", err)
	}
	return all, nil
}
