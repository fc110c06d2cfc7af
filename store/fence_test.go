package store_test

import (
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// A copy that is taken into use sends nobody again what was due when it was made
// (X2); what was due is there still, to be sent by hand.
func TestFenceGivesUpWhatIsDue(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	hook := blaise.NewWebhookID()
	due := func(want int) {
		t.Helper()
		db, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
		must(t, err)
		defer db.Close()
		hooks, err := db.DueWebhooks(t.Context(), now)
		must(t, err)
		all, err := db.Deliveries(t.Context(), hook, "", 9)
		must(t, err)
		if len(hooks) != want || len(all) != 1 {
			t.Errorf("%d webhooks have something due, want %d; %d deliveries, want 1", len(hooks), want, len(all))
		}
	}
	db, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
	must(t, err)
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		w := store.Webhook{ID: hook, URL: "https://example.org", Events: blaise.NewsKinds(), By: "ada", CreatedAt: now}
		if err := tx.CreateWebhook(w, []byte("hush")); err != nil {
			return err
		}
		return tx.PutDelivery(store.Delivery{ID: "msg_1", Webhook: hook, CreatedAt: now, DueAt: now})
	}))
	must(t, db.Close())
	due(1)
	_, err = store.Fence(t.Context(), dir)
	must(t, err)
	due(0)
}

// A copy of a version that knew no webhooks is fenced as well.
func TestFenceOfAnEarlyVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
	must(t, err)
	must(t, db.Close())
	_, err = raw(t, "sqlite:"+dir, "blaise.db").ExecContext(t.Context(), `DROP TABLE deliveries`)
	must(t, err)
	if fenced, err := store.Fence(t.Context(), dir); err != nil || fenced != 0 {
		t.Errorf("%d runs, %v", fenced, err)
	}
}
