package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
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
	// Version is the program's: a store that is too new for another names it.
	Version string
	// Identity is the path of the age identity that seals the state of plugs.
	// It is made when missing. Without one SQLite keeps it in its directory
	// and PostgreSQL refuses to keep the state of plugs.
	Identity string
	// Appended is told of events added to a transcript, after they were
	// committed. It is a hint: of two calls the later may carry the lower seq.
	Appended func(session blaise.SessionID, seq int64)
	// Took is told how long each write took, waiting included; it returns at
	// once. The lanes are decisions, transcript and blobs.
	Took func(lane string, d time.Duration)
	// MaxBlob is the longest blob that is kept, 256 MB; MaxBlobs is how much is
	// kept for one session, 1 GB.
	MaxBlob, MaxBlobs int64
}

// A DB is an open store, safe for concurrent use.
type DB struct {
	o    Options
	d    dialect
	seal *seal

	decisions, records, blobs     lane
	reads, recordReads, blobReads *pool
	closers                       []func() error // in the order of opening

	wake     chan struct{} // a commit has left notices in the outbox
	stop     context.CancelFunc
	carriers sync.WaitGroup
	carrying sync.Mutex // held by the one who carries notices over
	pulse    pulse
}

// Open opens the store at dsn ("sqlite:DIR" or "postgres://..."), brings its
// tables up to date and carries over the notices that a crash left behind. A
// directory is used by one process at a time: a second one is refused with the
// pid of the first. CodeRefused: a version after the next has changed its tables.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	db := &DB{o: o, wake: make(chan struct{}, 1), stop: func() {}}
	db.defaults()
	if err := db.open(ctx, dsn); err != nil {
		return nil, join(err, db.Close())
	}
	ctx, db.stop = context.WithCancel(context.WithoutCancel(ctx))
	db.carriers.Go(func() { db.carry(ctx) }) // Close waits for it
	db.signal()
	return db, nil
}

func (db *DB) defaults() {
	if db.o.Log == nil {
		db.o.Log = slog.New(slog.DiscardHandler)
	}
	if db.o.Now == nil {
		db.o.Now = time.Now
	}
	if db.o.Appended == nil {
		db.o.Appended = func(blaise.SessionID, int64) {}
	}
	if db.o.Took == nil {
		db.o.Took = func(string, time.Duration) {}
	}
	if db.o.MaxBlob == 0 {
		db.o.MaxBlob = maxBlob
	}
	if db.o.MaxBlobs == 0 {
		db.o.MaxBlobs = maxBlobs
	}
}

func (db *DB) open(ctx context.Context, dsn string) error {
	scheme, dir, _ := strings.Cut(dsn, ":")
	var err error
	switch scheme {
	case "sqlite":
		err = db.openSQLite(ctx, dir)
	case "postgres", "postgresql":
		err = db.openPostgres(ctx, dsn)
	default:
		err = fmt.Errorf("open store: %q is neither sqlite:DIR nor postgres://", scheme)
	}
	if err == nil {
		err = db.stamp(ctx)
	}
	if err != nil {
		return err
	}
	db.measure()
	if db.o.Identity == "" {
		return nil
	}
	if db.seal, err = openSeal(db.o.Identity); err != nil {
		return err
	}
	return db.checkSeal(ctx)
}

// Close waits for what is being written and closes the store. It may be
// called twice.
func (db *DB) Close() error {
	db.stop()
	db.carriers.Wait()
	var errs []error
	for _, c := range slices.Backward(db.closers) {
		errs = append(errs, c())
	}
	db.closers = nil
	return errors.Join(errs...)
}

// now is the time that the store itself writes.
func (db *DB) now() time.Time { return db.o.Now().UTC() }

// read queries the decisions without a lane.
func (db *DB) read(ctx context.Context) querier {
	return querier{ctx: ctx, c: db.reads, d: db.d}
}

// together runs fn on the decisions as of one moment.
func (db *DB) together(ctx context.Context, fn func(q querier) error) error {
	tx, err := db.reads.BeginTx(ctx, db.d.moment)
	if err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return fn(querier{ctx: ctx, c: tx, d: db.d})
}
