package store_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
)

// A logged is where a log goes that a test waits for.
type logged chan string

func (l logged) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default: // nobody waits
	}
	return len(p), nil
}

// Blaise and its database are started together, or the database crashes while
// Blaise starts: Open waits for it. One that refuses is not waited for.
func TestOpenWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	pg := storetest.StartPostgres(t, "fsync=off")
	dsn := pg.Database(t)
	if err := pg.Halt(); err != nil {
		t.Fatal(err)
	}
	said := make(logged, 1)
	o := store.Options{Log: slog.New(slog.NewTextHandler(said, nil)), Identity: filepath.Join(t.TempDir(), "identity")}
	opened := make(chan error, 1)
	go func() {
		db, err := store.Open(t.Context(), dsn, o)
		if err == nil {
			err = db.Close()
		}
		opened <- err
	}()
	select {
	case line := <-said:
		if !strings.Contains(line, "database cannot be reached, trying again") {
			t.Errorf("it says %q", line)
		}
	case err := <-opened:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("it says nothing")
	}
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("the database is there, and it is not opened: %v", err)
	}
	if _, err := store.Open(t.Context(), strings.Replace(dsn, "/test1?", "/test9?", 1), o); err == nil ||
		!strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a database that does not exist: %v", err)
	}
}
