package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"blaise.dev/blaise"
)

// ErrExists means that a new row's id is taken: draw another.
var ErrExists = errors.New("id is taken")

// ErrConflict means that a session was changed since its snapshot was loaded.
var ErrConflict = errors.New("session was changed meanwhile")

// Options of [Open]. The zero value works.
type Options struct {
	Log *slog.Logger
	Now func() time.Time
	// Identity is the path of the age identity that seals the state of plugs.
	// It is made when missing. Without one SQLite keeps it in its directory
	// and PostgreSQL refuses to keep the state of plugs.
	Identity string
	// Appended is told of events added to a transcript, after they were
	// committed. It is a hint: of two calls the later may carry the lower seq.
	Appended func(session blaise.SessionID, seq int64)
}

// A DB is an open store, safe for concurrent use.
type DB struct {
	o Options
}

// Open opens the store at dsn ("sqlite:DIR" or "postgres://..."), brings its
// tables up to date and carries over the notices that a crash left behind. A
// directory is used by one process at a time: a second one is refused with the
// pid of the first.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) { return nil, errors.ErrUnsupported }

// Close waits for what is being written and closes the store.
func (db *DB) Close() error { return errors.ErrUnsupported }

// Ping says whether the store can be reached.
func (db *DB) Ping(ctx context.Context) error { return errors.ErrUnsupported }
