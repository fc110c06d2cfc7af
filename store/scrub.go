package store

import (
	"context"
	"database/sql"
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
	for _, pragma := range []string{
		"wal_checkpoint(PASSIVE)",
		fmt.Sprintf("busy_timeout(%d)", scrubPatience.Milliseconds()),
		"wal_checkpoint(TRUNCATE)",
		"busy_timeout(10000)",
	} {
		rows, err := conn.QueryContext(ctx, "PRAGMA "+pragma)
		if err != nil {
			return err
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	return nil
}
