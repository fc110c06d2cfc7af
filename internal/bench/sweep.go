package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"

	"golang.org/x/sync/errgroup"
)

// sweep measures one look at the clocks with few and with many paused
// sessions: what it costs follows from what is due.
func sweep(ctx context.Context, o options) ([]row, error) {
	few, err := sweepOver(ctx, o, 100)
	if err != nil {
		return nil, err
	}
	many, err := sweepOver(ctx, o, 100_000)
	if err != nil {
		return nil, err
	}
	return []row{{
		name: "look at the clocks, 100,000 paused sessions against 100, median",
		got:  many, floor: few, limit: few * 1.1, unit: "us",
	}}, nil
}

func sweepOver(ctx context.Context, o options, n int) (float64, error) {
	dir := filepath.Join(o.tmp, fmt.Sprintf("sweep%d", n))
	db, err := store.Open(ctx, "sqlite:"+dir, store.Options{})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if err := fillPaused(ctx, db, n); err != nil {
		return 0, err
	}
	const looks = 2000
	took := make([]time.Duration, looks)
	now := time.Now().UTC()
	for i := range took {
		began := time.Now()
		due, err := db.Due(ctx, now, 100)
		if err != nil {
			return 0, err
		}
		if _, _, err := db.NextDue(ctx); err != nil {
			return 0, err
		}
		took[i] = time.Since(began)
		if len(due) != 0 {
			return 0, fmt.Errorf("a clock is due that should not be")
		}
	}
	return median(took) * 1000, nil
}

func fillPaused(ctx context.Context, db *store.DB, n int) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(32)
	now := time.Now().UTC()
	for i := range n {
		g.Go(func() error {
			return db.Tx(ctx, func(tx *store.Tx) error { return tx.CreateSession(pausedSession(i, now)) })
		})
	}
	return g.Wait()
}

func pausedSession(i int, now time.Time) blaise.Snapshot {
	id := blaise.SessionID(fmt.Sprintf("s%07d", i))
	return blaise.Snapshot{
		Session: blaise.Session{ID: id, Agent: "demo", State: blaise.SessionPaused, CreatedAt: now, Runs: 1},
		Environment: blaise.Environment{
			ID: id.Environment(1), State: blaise.EnvPaused, Generation: 1, EverOpen: true,
		},
		Clocks: []blaise.Clock{{
			Kind: blaise.ClockMaxPaused, Since: now, DueAt: now.Add(time.Hour + time.Duration(i)*time.Second),
			Setting: "policy.maxPaused",
		}},
	}
}
