package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/store"

	"golang.org/x/sys/unix"
)

// On a full disk a Ping says so, and is well again when there is room.
func TestPingOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no small disk can be made here: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	now := time.Now()
	later := func() time.Time { now = now.Add(time.Minute); return now } // each Ping writes
	db := open(t, "sqlite:"+filepath.Join(dir, "db"), store.Options{Now: later})
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	rest := filepath.Join(dir, "rest")
	if err := os.WriteFile(rest, make([]byte, 16<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	// What the log has room for already can still be written.
	var err error
	for n := 0; err == nil && n < 10_000; n++ {
		err = db.Ping(t.Context())
	}
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("on a full disk: %v", err)
	}
	err = db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.PutRunner(store.Runner{ID: "r", Name: strings.Repeat("long ", 1<<18), TokenHash: []byte("h")})
	})
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("a write of another kind: %v", err)
	}
	if err := os.Remove(rest); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("there is room again: %v", err)
	}
}
