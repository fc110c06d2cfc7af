package store_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// A store that the next version has brought up to date is opened, and that is
// said; one of a later version is refused, and nothing in it is changed.
func TestNewerStoreIsRefused(t *testing.T) {
	t.Parallel()
	testNewer(t, "sqlite:"+t.TempDir(), store.Options{})
}

func testNewer(t *testing.T, dsn string, o store.Options) {
	var said bytes.Buffer
	o.Log, o.Version = slog.New(slog.NewTextHandler(&said, nil)), "v1"
	again := func() error {
		db, err := store.Open(t.Context(), dsn, o)
		if err != nil {
			return err
		}
		return db.Close()
	}
	raised := func() {
		t.Helper()
		db := raw(t, dsn, "blaise.db")
		if _, err := db.Exec(`UPDATE store SET generation = generation + 1, version = 'v' || (generation + 1)`); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := again(); err != nil || said.Len() > 0 {
		t.Fatalf("its own: %v, said %q", err, said.String())
	}
	raised()
	if err := again(); err != nil || !strings.Contains(said.String(), "version=v2") {
		t.Errorf("of the next version: %v, said %q", err, said.String())
	}
	raised()
	err := again()
	if blaise.CodeOf(err) != blaise.CodeRefused || !strings.Contains(err.Error(), "Blaise v3") {
		t.Errorf("of a later version: %v", err)
	}
	var version string
	if err := raw(t, dsn, "blaise.db").QueryRow(`SELECT version FROM store`).Scan(&version); err != nil || version != "v3" {
		t.Errorf("it is of %q now, %v", version, err)
	}
}
