package store

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// openPostgres opens a pool: both lanes, and the readers.
func (db *DB) openPostgres(ctx context.Context, dsn string) error {
	conns, err := sql.Open("pgx", dsn)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	// A deciding transaction holds its connection for about a millisecond;
	// PostgreSQL serves 100 of them by default, replicas share those.
	conns.SetMaxOpenConns(24)
	conns.SetMaxIdleConns(24)
	conns.SetConnMaxIdleTime(5 * time.Minute)
	db.closers = append(db.closers, conns.Close)
	err = db.patiently(ctx, func() error {
		if err := db.allow(ctx, conns, postgresHasStore); err != nil {
			return err
		}
		return migratePostgres(ctx, conns)
	})
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	db.d = postgresDialect
	l := poolLane{pool: conns}
	db.decisions, db.records, db.blobs = l, l, l
	shared := &pool{DB: conns}
	db.reads, db.recordReads, db.blobReads = shared, shared, shared
	return nil
}

// A poolLane is the lane of PostgreSQL: a transaction for each caller. A
// session's own row is what keeps two of them apart.
type poolLane struct{ pool *sql.DB }

// maxTransaction ends a transaction whose server answers no more.
const maxTransaction = 30 * time.Second

// maxAgain is how often a transaction that others made fail is run again.
const maxAgain = 10

func (l poolLane) do(ctx context.Context, fn func(q querier) error) error {
	for i := 1; ; i++ {
		err := l.once(ctx, fn)
		if err == nil || !again(err) || i == maxAgain {
			return err
		}
		// Two that got in each other's way must not do so in step again.
		pause := time.NewTimer(rand.N(time.Duration(i) * 5 * time.Millisecond))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
	}
}

func (l poolLane) once(ctx context.Context, fn func(q querier) error) error {
	conn, err := l.pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	defer conn.Close()
	// A caller that gives up in the middle would not know whether it was
	// committed: from here on it is carried to its end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxTransaction)
	defer cancel()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	if err := fn(querier{ctx: ctx, c: tx, d: postgresDialect}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
