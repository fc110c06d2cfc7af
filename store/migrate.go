package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrations expand, then contract: the version before must be able to work
// on the tables that this one leaves.
//
//go:embed migrations
var migrations embed.FS

func migrateSQLite(ctx context.Context, db *sql.DB, tables string) error {
	return migrate(ctx, goose.DialectSQLite3, db, "migrations/sqlite/"+tables)
}

// migratePostgres migrates under an advisory lock: replicas start together.
func migratePostgres(ctx context.Context, db *sql.DB) error {
	// A try a second for 5 minutes, the longest that a migration may take.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return migrate(ctx, goose.DialectPostgres, db, "migrations/postgres",
		goose.WithSessionLocker(locker))
}

func migrate(
	ctx context.Context, d goose.Dialect, db *sql.DB, dir string, o ...goose.ProviderOption,
) error {
	files, err := fs.Sub(migrations, dir)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	o = append(o, goose.WithDisableGlobalRegistry(true))
	p, err := goose.NewProvider(d, db, files, o...)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
