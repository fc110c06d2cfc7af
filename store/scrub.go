package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// scrubPatience is how long writers may be kept waiting for readers that still
// need the log.
const scrubPatience = 250 * time.Millisecond

// Scrub empties the logs that SQLite writes ahead of its files: what was deleted
// is in these still, where in the files it is overwritten. A log that others
// read just then stays until the next time, without an error. PostgreSQL cleans
// up by itself, when it vacuums.
func (db *DB) Scrub(ctx context.Context) error {
	if db.d.numbered {
		return nil
	}
	for _, reads := range []*pool{db.reads, db.recordReads, db.blobReads} {
		if err := emptyLog(ctx, reads.DB); err != nil {
			return fmt.Errorf("empty the log of a file: %w", err)
		}
	}
	return nil
}

// emptyLog first writes home what is in the log, for which nobody waits.
func emptyLog(ctx context.Context, file *sql.DB) error {
	conn, err := file.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = pragma(ctx, conn, "wal_checkpoint(PASSIVE)")
	if err == nil {
		err = pragma(ctx, conn, fmt.Sprintf("busy_timeout(%d)", scrubPatience.Milliseconds()))
	}
	if err == nil {
		err = pragma(ctx, conn, "wal_checkpoint(TRUNCATE)")
	}
	// Whatever came of it: the connection goes back to those who read.
	return errors.Join(err, pragma(context.WithoutCancel(ctx), conn, patience))
}

func pragma(ctx context.Context, conn *sql.Conn, text string) error {
	rows, err := conn.QueryContext(ctx, "PRAGMA "+text)
	if err != nil {
		return err
	}
	return rows.Close()
}
