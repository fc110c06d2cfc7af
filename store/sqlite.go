package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// identityFile is the identity of a directory, where Options name no other.
const identityFile = "identity.age"

// maxReaders is how many connections read a file at once.
const maxReaders = 8

// openSQLite opens the three files of a directory, one lane each.
func (db *DB) openSQLite(ctx context.Context, dir string) error {
	if dir == "" {
		return errors.New("open store: no directory in sqlite:DIR")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return err
	}
	db.closers = append(db.closers, lock.Close)
	if db.o.Identity == "" {
		db.o.Identity = filepath.Join(dir, identityFile)
	}
	decisions, err := db.openFile(ctx, filepath.Join(dir, "blaise.db"), "decisions")
	if err != nil {
		return err
	}
	db.decisions, db.reads = decisions.lane, decisions.reads
	records, err := db.openFile(ctx, filepath.Join(dir, "transcript.db"), "transcript")
	if err != nil {
		return err
	}
	db.records, db.recordReads = records.lane, records.reads
	blobs, err := db.openFile(ctx, filepath.Join(dir, "blobs.db"), "blobs")
	if err != nil {
		return err
	}
	db.blobs, db.blobReads = blobs.lane, blobs.reads
	return nil
}

// patience is how long a connection waits for who holds a lock.
const patience = "busy_timeout(10000)"

// A file is one SQLite file, open: its writer and its readers.
type file struct {
	lane  lane
	reads *pool
}

func (db *DB) openFile(ctx context.Context, path, tables string) (file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite would make it 0644
	if err != nil {
		return file{}, fmt.Errorf("open store: %w", err)
	}
	if err := f.Close(); err != nil {
		return file{}, fmt.Errorf("open store: %w", err)
	}
	// What is deleted or replaced is overwritten with zeros, or it could be read
	// in the file until its place is used again.
	// FULL for transcripts too: what a run is told is kept, it forgets, so it
	// must survive a power cut. NORMAL would gain nothing at 100 events or
	// more a transaction.
	writes, err := sql.Open("sqlite", address(path,
		patience, "journal_mode(WAL)", "synchronous(FULL)",
		"journal_size_limit(67108864)", "cache_size(-16384)", "secure_delete(1)"))
	if err != nil {
		return file{}, fmt.Errorf("open %s: %w", path, err)
	}
	db.closers = append(db.closers, writes.Close)
	if tables == "decisions" {
		if err := db.allow(ctx, writes, sqliteHasStore); err != nil {
			return file{}, err
		}
	}
	if err := migrateSQLite(ctx, writes, tables); err != nil {
		return file{}, fmt.Errorf("open %s: %w", path, err)
	}
	conn, err := writes.Conn(ctx)
	if err != nil {
		return file{}, fmt.Errorf("open %s: %w", path, err)
	}
	w := newWriter(conn)
	db.closers = append(db.closers, w.close)
	reads, err := sql.Open("sqlite", address(path, patience, "query_only(1)"))
	if err != nil {
		return file{}, fmt.Errorf("open %s: %w", path, err)
	}
	reads.SetMaxOpenConns(maxReaders)
	reads.SetMaxIdleConns(maxReaders)
	db.closers = append(db.closers, reads.Close)
	return file{lane: w, reads: &pool{DB: reads, stmts: map[string]*sql.Stmt{}}}, nil
}

func address(path string, pragmas ...string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	if !filepath.IsAbs(path) {
		u.Path, u.Opaque = "", (&url.URL{Path: path}).EscapedPath()
	}
	return u.String()
}

// CheckFree answers the error that opening the directory would for being in use.
// It makes nothing; a directory that is not there is free.
func CheckFree(dir string) error {
	f, err := os.Open(filepath.Join(dir, "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at store: %w", err)
	}
	defer f.Close()
	return flock(f, dir, unix.LOCK_SH)
}

// lockDir takes the directory for this process. The lock goes with the
// process, however it ends.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	err = flock(f, dir, unix.LOCK_EX)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	return f, nil
}

func flock(f *os.File, dir string, how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		holder, _ := io.ReadAll(io.LimitReader(f, 32))
		return fmt.Errorf("%s is in use by process %s", dir, strings.TrimSpace(string(holder)))
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}
