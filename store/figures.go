package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// Figures say how much there is of what matters to who watches over Blaise.
type Figures struct {
	Sessions     map[blaise.SessionState]int
	Environments map[blaise.EnvironmentState]int // those that may hold something
	Questions    int                             // open ones
	Live         int                             // runs that a runner has taken
	Teardowns    Queue                           // runs that wait for a runner
	Work         Queue
	Agents       map[blaise.AgentName]Crowd
	Due          time.Time // when the next clock is due, or was; zero: none runs
}

// A Queue is what waits, and since when the first of it.
type Queue struct {
	Runs  int
	Since time.Time // zero if nothing waits
}

// Figures counts. It reads indexes, not rows: it may be asked often.
func (db *DB) Figures(ctx context.Context) (Figures, error) {
	f := Figures{Environments: map[blaise.EnvironmentState]int{}, Agents: map[blaise.AgentName]Crowd{}}
	err := db.together(ctx, func(q querier) error {
		var err error
		if f.Sessions, err = counts(q); err != nil {
			return err
		}
		if err = f.environments(q); err != nil {
			return err
		}
		if err = f.waiting(q); err != nil {
			return err
		}
		if err = crowds(q, f.Agents); err != nil {
			return err
		}
		_, err = q.one([]any{&f.Questions, &f.Live}, `SELECT
			CAST((SELECT COALESCE(SUM(waits), 0) FROM sessions WHERE attention = 1) AS BIGINT),
			(SELECT COUNT(*) FROM runs WHERE live = 1)`)
		if err != nil {
			return err
		}
		f.Due, _, err = nextDue(q)
		return err
	})
	if err != nil {
		return f, fmt.Errorf("count what there is: %w", err)
	}
	return f, nil
}

func (f *Figures) environments(q querier) error {
	return q.each(func(row *sql.Rows) error {
		var state blaise.EnvironmentState
		var n int
		err := row.Scan(&state, &n)
		f.Environments[state] = n
		return err
	}, `SELECT state, COUNT(*) FROM environments WHERE holds > 0 GROUP BY state`)
}

// waiting leaves held sessions out: their runs are not offered.
func (f *Figures) waiting(q querier) error {
	return q.each(func(row *sql.Rows) error {
		var queue, n int
		var since int64
		err := row.Scan(&queue, &n, &since)
		into := &f.Work
		if queue == 0 {
			into = &f.Teardowns
		}
		if at := fromNanos(since); into.Runs == 0 || at.Before(into.Since) {
			into.Since = at
		}
		into.Runs += n
		return err
	}, `SELECT r.queue, COUNT(*), MIN(r.offered_at) FROM runs r JOIN sessions s ON s.id = r.session
		WHERE r.queue IS NOT NULL AND s.held = 0 GROUP BY r.queue`)
}
