package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) *store.DB {
		return open(t, "sqlite:"+t.TempDir(), store.Options{})
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	pg := storetest.StartPostgres(t, "fsync=off") // no power is cut here
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) *store.DB {
			return open(t, pg.Database(t), identity(t))
		})
	})
	t.Run("replicas open it at once", func(t *testing.T) {
		dsn, o := pg.Database(t), identity(t)
		done := make(chan error)
		for range 4 {
			go func() {
				db, err := store.Open(t.Context(), dsn, o)
				if err == nil {
					err = db.Close()
				}
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("notices after a crash", func(t *testing.T) { testNoticesAfterCrash(t, pg.Database(t)) })
	t.Run("a newer store is refused", func(t *testing.T) { testNewer(t, pg.Database(t), identity(t)) })
	t.Run("a dump is a backup", func(t *testing.T) { testDump(t, pg) })
	t.Run("query plans", func(t *testing.T) { testPlans(t, pg.Database(t)) })
}

func identity(t testing.TB) store.Options {
	return store.Options{Identity: filepath.Join(t.TempDir(), "identity")}
}

func open(t testing.TB, dsn string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return db
}

// raw opens one file of a closed store, or its database, beside the store.
func raw(t testing.TB, dsn, file string) *sql.DB {
	t.Helper()
	driver, source := "pgx", dsn
	if dir, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		driver, source = "sqlite", filepath.Join(dir, file)
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
