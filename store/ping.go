package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrFull means that there is no room for a write: nothing of it was done.
var ErrFull = errors.New("the disk of the store is full")

// pingEvery is how soon a Ping writes again: whoever asks more often gets the
// answer of that write, if it was good.
const pingEvery = 5 * time.Second

// A pulse is when a Ping has last written.
type pulse struct {
	mu sync.Mutex // guards at, and is held while a Ping writes
	at time.Time
}

// Ping says whether the store can be read, and a decision written: it writes a
// row and waits until that is on the disk. ErrFull.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.reads.PingContext(ctx); err != nil {
		return fmt.Errorf("reach store: %w", err)
	}
	db.pulse.mu.Lock()
	defer db.pulse.mu.Unlock()
	now := db.now()
	if since := now.Sub(db.pulse.at); since >= 0 && since < pingEvery {
		return nil
	}
	err := db.Tx(ctx, func(tx *Tx) error {
		return tx.exec(`UPDATE store SET written_at = ? WHERE id = 1`, nanos(now))
	})
	if err != nil {
		return fmt.Errorf("write to store: %w", err)
	}
	db.pulse.at = now
	return nil
}

// told is an error of a write, which ErrFull is if it is one for lack of room.
func told(err error) error {
	if full(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

func full(err error) bool {
	var lite *sqlite.Error
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &lite):
		return lite.Code()&0xff == sqlite3.SQLITE_FULL
	case errors.As(err, &pg):
		return pg.Code == "53100" // disk_full
	}
	return errors.Is(err, syscall.ENOSPC)
}
