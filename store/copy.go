package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// sqliteFiles are the files of a directory, in the order in which a copy looks
// at them: what a later one refers to in an earlier one is there.
var sqliteFiles = []string{"blaise.db", "transcript.db", "blobs.db"}

// Copy copies the databases of a SQLite directory, and the identity beside them,
// into another, which is there. A process may be at work on them: the copies
// hold what was committed at one moment, and it waits only while that moment is
// taken hold of. A process that was killed then would have left the same.
func Copy(ctx context.Context, dir, to string) error {
	sources, err := pinAll(ctx, dir)
	defer func() {
		for _, s := range sources {
			s.close()
		}
	}()
	if err != nil {
		return err
	}
	for i, name := range sqliteFiles {
		if err := sources[i].copy(ctx, filepath.Join(to, name)); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
	}
	return copyIdentity(filepath.Join(dir, identityFile), filepath.Join(to, identityFile))
}

// A source is a database of which one moment is held.
type source struct {
	db   *sql.DB
	conn *sql.Conn
}

// pinAll holds one moment of all files. No decision is made meanwhile: a notice
// that was made and carried between two of them would be in the transcript, and
// its number given again.
func pinAll(ctx context.Context, dir string) (sources []source, err error) {
	first := filepath.Join(dir, sqliteFiles[0])
	if _, err := os.Stat(first); err != nil {
		return nil, fmt.Errorf("copy %s: %w", sqliteFiles[0], err) // SQLite would make a new one
	}
	db, err := sql.Open("sqlite", address(first, patience)+"&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", sqliteFiles[0], err)
	}
	defer db.Close()
	still, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("hold decisions: %w", err)
	}
	defer func() { _ = still.Rollback() }() // it has written nothing
	for _, name := range sqliteFiles {
		s, err := pin(ctx, filepath.Join(dir, name))
		if err != nil {
			return sources, fmt.Errorf("copy %s: %w", name, err)
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// pin begins to read: what is committed from now on is not seen.
func pin(ctx context.Context, path string) (source, error) {
	if _, err := os.Stat(path); err != nil {
		return source{}, err // SQLite would make a new one
	}
	db, err := sql.Open("sqlite", address(path, patience, "query_only(1)"))
	if err != nil {
		return source{}, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return source{}, errors.Join(err, db.Close())
	}
	s := source{db: db, conn: conn}
	var tables int
	_, err = conn.ExecContext(ctx, "BEGIN")
	if err == nil { // BEGIN alone holds nothing
		err = conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables)
	}
	if err != nil {
		s.close()
	}
	return s, err
}

func (s source) close() {
	_ = s.conn.Close() // it has read only: there is nothing to lose
	_ = s.db.Close()
}

// copiedAtOnce is how many pages are copied before a look at the context: 16 MB.
const copiedAtOnce = 4096

func (s source) copy(ctx context.Context, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would make it 0644
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return s.conn.Raw(func(driver any) error {
		b, err := driver.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		}).NewBackup(address(to))
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if more, err = b.Step(copiedAtOnce); err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
		}
		return errors.Join(err, b.Finish())
	})
}

// copyIdentity copies the identity, unless it is kept elsewhere.
func copyIdentity(from, to string) error {
	raw, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.WriteFile(to, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("copy identity: %w", err)
	}
	return nil
}

// Fence makes the leases of all live runs of a SQLite directory worthless, and
// says how many there were. It is for a copy that is taken into use: those runs
// may have told what came after it, which the copy does not know. They stop,
// and their sessions are resumed. Deliveries that were due are given up: most
// were made since. No process may be at work on the directory.
func Fence(ctx context.Context, dir string) (fenced int64, err error) {
	db, err := sql.Open("sqlite", address(filepath.Join(dir, sqliteFiles[0]), patience))
	if err != nil {
		return 0, fmt.Errorf("fence runs: %w", err)
	}
	defer db.Close()
	res, err := db.ExecContext(ctx, `UPDATE runs SET nonce = NULL, token_hash = NULL WHERE live = 1`)
	if err == nil {
		fenced, err = res.RowsAffected()
	}
	if err == nil {
		err = giveUpDeliveries(ctx, db)
	}
	if err != nil {
		return 0, fmt.Errorf("fence runs and deliveries: %w", err)
	}
	return fenced, nil
}

func giveUpDeliveries(ctx context.Context, db *sql.DB) error {
	var known bool // not to a copy of an early version
	row := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'deliveries'`)
	if err := row.Scan(&known); err != nil || !known {
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE deliveries SET due_at = 0 WHERE due_at > 0`)
	return err
}
