package storetest

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func newWebhook(t *testing.T, db *store.DB) store.Webhook {
	t.Helper()
	w := store.Webhook{
		ID: blaise.NewWebhookID(), URL: "https://example.org", Events: blaise.NewsKinds(), By: "ada", CreatedAt: start,
	}
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.CreateWebhook(w, []byte("hush")) }))
	return w
}

func testWebhooks(t *testing.T, db *store.DB) {
	w := newWebhook(t, db)
	got, secret, err := db.WebhookSecret(t.Context(), w.ID)
	ok(t, err)
	equal(t, "webhook", got, w)
	if string(secret) != "hush" || bytes.Contains([]byte(fmt.Sprintf("%+v", got)), secret) {
		t.Errorf("secret %q of %+v", secret, got)
	}
	if err := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.CreateWebhook(w, nil) }); err == nil {
		t.Error("a taken id is not refused")
	}
	w.DisabledAt, w.DisabledWhy, w.FailingSince = start.Add(time.Hour), "gone", start
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.PutWebhook(w) }))
	all, err := db.Webhooks(t.Context())
	ok(t, err)
	equal(t, "webhooks", all, []store.Webhook{w})

	put(t, db, store.Delivery{ID: "msg_1", Webhook: w.ID, CreatedAt: start, DueAt: start})
	remove := func() error {
		return db.Tx(t.Context(), func(tx *store.Tx) error { return tx.DeleteWebhook(w.ID) })
	}
	ok(t, remove())
	left, err := db.Deliveries(t.Context(), w.ID, "", 9)
	ok(t, err)
	if err := remove(); blaise.CodeOf(err) != blaise.CodeNotFound || len(left) > 0 {
		t.Errorf("got %v, %d deliveries left", err, len(left))
	}
}

func put(t *testing.T, db *store.DB, all ...store.Delivery) {
	t.Helper()
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		for _, d := range all {
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
		}
		return nil
	}))
}

func testDeliveries(t *testing.T, db *store.DB) {
	w := newWebhook(t, db).ID
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	for n := 1; n <= 4; n++ {
		put(t, db, store.Delivery{
			ID: blaise.DeliveryID(fmt.Sprintf("msg_%d", n)), Webhook: w, Kind: blaise.NewsSessionEnded, Session: "s",
			Body: []byte("{}"), CreatedAt: at(n), DueAt: at(10 - n), Attempts: []store.Attempt{{At: at(0), Status: 500}},
		})
	}
	ids := func(all []store.Delivery) (list []blaise.DeliveryID) {
		for _, d := range all {
			list = append(list, d.ID)
		}
		return list
	}
	all, err := db.Deliveries(t.Context(), w, "", 3)
	ok(t, err)
	equal(t, "the latest", ids(all), []blaise.DeliveryID{"msg_4", "msg_3", "msg_2"})
	all, err = db.Deliveries(t.Context(), w, "msg_2", 3)
	ok(t, err)
	equal(t, "those before", ids(all), []blaise.DeliveryID{"msg_1"})
	equal(t, "due", all[0].DueAt, at(9))
	due, err := db.DueWebhooks(t.Context(), at(7))
	ok(t, err)
	equal(t, "due webhooks", due, []blaise.WebhookID{w})
	next, any, err := db.NextDelivery(t.Context(), at(7))
	ok(t, err)
	if !any || !next.Equal(at(8)) {
		t.Errorf("next at %s, %t", next, any)
	}
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.GiveUp(w) }))
	if _, any, err := db.NextDelivery(t.Context(), at(0)); any || err != nil {
		t.Errorf("given up, and due: %v", err)
	}
	put(t, db, store.Delivery{ID: "msg_1", Webhook: w, CreatedAt: at(1), DueAt: at(9)})
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.ForgetDeliveries(at(4)) }))
	all, err = db.Deliveries(t.Context(), w, "", 9)
	ok(t, err)
	equal(t, "kept: what is due and what is new", ids(all), []blaise.DeliveryID{"msg_4", "msg_1"})
}

// testClaims: of many that claim what is due, each gets what no other has.
func testClaims(t *testing.T, db *store.DB) {
	w := newWebhook(t, db).ID
	const n = 20
	for i := range n {
		put(t, db, store.Delivery{ID: blaise.DeliveryID(fmt.Sprintf("msg_%02d", i)), Webhook: w, CreatedAt: start, DueAt: start})
	}
	got, done := make(chan blaise.DeliveryID, 10*n), make(chan error)
	for range 4 {
		go func() {
			for {
				mine, err := claim(t, db, w)
				for _, id := range mine {
					got <- id
				}
				if err != nil || len(mine) == 0 {
					done <- err
					return
				}
			}
		}()
	}
	for range 4 {
		ok(t, <-done)
	}
	close(got)
	seen := map[blaise.DeliveryID]int{}
	for id := range got {
		seen[id]++
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s was claimed %d times", id, times)
		}
	}
	due, err := db.DueWebhooks(t.Context(), start)
	ok(t, err)
	if len(seen)+len(due) < n { // a claim may come back empty while another has them all
		t.Errorf("%d claimed of %d", len(seen), n)
	}
}

func claim(t *testing.T, db *store.DB, w blaise.WebhookID) (mine []blaise.DeliveryID, err error) {
	err = db.Tx(t.Context(), func(tx *store.Tx) error {
		mine = nil
		due, err := tx.DueDeliveries(w, start, 3)
		for _, d := range due {
			d.DueAt = start.Add(time.Hour)
			mine = append(mine, d.ID)
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
		}
		return err
	})
	return mine, err
}
