package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
)

// TestWriter is about the one writer of a file: what happens in its line.
func TestWriter(t *testing.T) {
	t.Parallel()
	t.Run("one who gives up in the line leaves it", func(t *testing.T) {
		t.Parallel()
		db := open(t, "sqlite:"+t.TempDir(), store.Options{})
		release := occupy(t, db)
		gaveUp := errors.New("gave up")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, gaveUp)
		defer cancel()
		ran := false
		err := db.Tx(ctx, func(*store.Tx) error { ran = true; return nil })
		if !errors.Is(err, gaveUp) {
			t.Errorf("error = %v, want %v", err, gaveUp)
		}
		release()
		must(t, db.Tx(t.Context(), func(*store.Tx) error { return nil }))
		if ran {
			t.Error("its function ran")
		}
	})
	t.Run("Close lets those in the line finish", func(t *testing.T) {
		t.Parallel()
		dsn := "sqlite:" + t.TempDir()
		db, err := store.Open(t.Context(), dsn, store.Options{})
		must(t, err)
		release := occupy(t, db)
		done, closed := make(chan error, 1), make(chan error, 1)
		go func() {
			done <- db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.CreateSession(storetest.New("inline01"))
			})
		}()
		go func() { closed <- db.Close() }()
		release()
		err = <-done
		must(t, <-closed)
		if after := db.Tx(t.Context(), func(*store.Tx) error { return nil }); after == nil {
			t.Error("a closed store takes transactions")
		}
		_, missing := open(t, dsn, store.Options{}).View(t.Context(), "inline01")
		if (err == nil) != (missing == nil) {
			t.Errorf("answered %v, but reading it gives %v", err, missing)
		}
	})
	t.Run("reading does not wait for it", func(t *testing.T) {
		t.Parallel()
		db := open(t, "sqlite:"+t.TempDir(), store.Options{})
		defer occupy(t, db)()
		_, err := db.Agents(t.Context())
		must(t, err)
		_, err = db.LastSeq(t.Context(), "s")
		must(t, err)
	})
}

// occupy keeps the writer busy until it is released.
func occupy(t *testing.T, db *store.DB) (release func()) {
	t.Helper()
	began, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Tx(context.Background(), func(*store.Tx) error {
			close(began)
			<-end
			return nil
		})
		if err != nil {
			t.Errorf("occupy writer: %v", err)
		}
	})
	<-began
	return func() { close(end); wg.Wait() }
}
