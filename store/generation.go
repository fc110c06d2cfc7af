package store

import (
	"context"
	"database/sql"
	"fmt"

	"blaise.dev/blaise"
)

// generation counts the versions of Blaise that have changed the tables. The
// first migration after a release raises it, and a test says so, by
// testdata/released.txt: a program works on its own tables and on those that the
// version after it leaves, and on no later ones.
const generation = 1

// How a database is asked whether it has the table store.
const (
	sqliteHasStore   = `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'store'`
	postgresHasStore = `SELECT COUNT(*) FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_name = 'store'`
)

// allow refuses a database that a later version than the next has changed:
// CodeRefused. It writes nothing.
func (db *DB) allow(ctx context.Context, tables *sql.DB, has string) error {
	var there, found int
	var version string
	if err := tables.QueryRowContext(ctx, has).Scan(&there); err != nil || there == 0 {
		return err
	}
	row := tables.QueryRowContext(ctx, `SELECT generation, version FROM store WHERE id = 1`)
	if err := row.Scan(&found, &version); err != nil {
		return fmt.Errorf("read what the store is: %w", err)
	}
	switch {
	case found > generation+1:
		return blaise.Errorf(blaise.CodeRefused, "the store was brought up to date by Blaise %s (tables %d), which this "+
			"program is too old for: it works on tables %d, and on %d of the version after it", version, found, generation, generation+1).
			WithHint("run that version again, or restore the backup that was made before the upgrade: blaise backup restore")
	case found > generation:
		db.o.Log.Warn("the version after this one has been at the store: what it alone knows is not shown",
			"version", version)
	}
	return nil
}

// stamp notes that the tables are of this generation, and who has seen to that.
func (db *DB) stamp(ctx context.Context) error {
	return db.decisions.do(ctx, func(q querier) error {
		v := clean(db.o.Version)
		_, err := q.exec(`UPDATE store SET generation = ?, version = ?
			WHERE id = 1 AND (generation < ? OR generation = ? AND version <> ?)`, generation, v, generation, generation, v)
		return err
	})
}
