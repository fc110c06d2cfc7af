package store_test

import (
	"context"
	"fmt"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"

	"golang.org/x/sync/errgroup"
)

// Many ask the same for the first time at once, some give up in the middle, and
// a writer changes what they read: a query that is kept prepared answers each
// with what was committed last.
func TestReadersShareTheirQueries(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "sqlite:"+t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g, ctx := errgroup.WithContext(t.Context())
	for i := range 16 {
		g.Go(func() error { return writeAndRead(ctx, db, fmt.Sprintf("runner-%d", i)) })
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

func writeAndRead(ctx context.Context, db *store.DB, id string) error {
	gone, giveUp := context.WithCancel(ctx)
	giveUp()
	for i := range 10 {
		want := fmt.Sprint(i)
		err := db.Tx(ctx, func(tx *store.Tx) error {
			return tx.PutRunner(store.Runner{ID: blaise.RunnerID(id), Name: want, TokenHash: []byte(id)})
		})
		if err != nil {
			return err
		}
		if _, err := db.RunnerByToken(gone, []byte(id)); err == nil {
			return fmt.Errorf("%s was read for who gave up", id)
		}
		r, err := db.RunnerByToken(ctx, []byte(id))
		if err != nil || r.Name != want {
			return fmt.Errorf("read %s: %q, %v, after %q", id, r.Name, err, want)
		}
	}
	return nil
}
