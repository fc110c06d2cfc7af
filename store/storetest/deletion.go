package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// settled is a session with something in every table, of which nothing more may
// happen.
func settled(t *testing.T, db *store.DB) blaise.Snapshot {
	t.Helper()
	s := Full(id())
	sid := s.Session.ID
	s.Session.State, s.Session.Outcome = blaise.SessionEnded, blaise.OutcomeSucceeded
	s.Session.From = ""
	s.Environment.State, s.Environment.Plugs[0].Unowned = blaise.EnvDestroyed, false
	s.Run.State, s.Run.EndedAt = blaise.RunEnded, start
	s.Messages[0].State, s.Questions[0].State = blaise.MessageAnswered, blaise.QuestionApplied
	create(t, db, s)
	_, err := db.Append(t.Context(), sid, s.Run.ID, events(s.Run.ID, 1, 3))
	ok(t, err)
	_, err = db.PutBlob(t.Context(), store.Blob{Session: sid, Name: "f"}, strings.NewReader("work of "+string(sid)))
	ok(t, err)
	do(t, db, func(tx *store.Tx) error {
		for _, err := range []error{
			tx.KeepStartKey("start "+string(sid), sid.Message(1)), tx.KeepAnswer(s.Run.ID, 1, []byte("x")),
			tx.KeepStatus(sid, blaise.AgentStatus{ContextUsed: 1}), tx.Notice(sid, blaise.Notice{Text: "over"}),
			tx.PutDelivery(store.Delivery{
				ID: blaise.DeliveryID("d" + sid), Webhook: "w", Session: sid, CreatedAt: s.Session.CreatedAt,
			}),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	ok(t, db.Carry(t.Context()))
	return s
}

// holdings counts what is found of a session, one way or another.
func holdings(t *testing.T, db *store.DB, sid blaise.SessionID) map[string]int {
	t.Helper()
	ctx := t.Context()
	got := map[string]int{}
	list, err := db.Sessions(ctx, store.Filter{Text: string(sid)})
	ok(t, err)
	got["listed"] = len(list)
	got["events"] = len(read(t, db, sid))
	files, err := db.Blobs(ctx, sid)
	ok(t, err)
	got["files"] = len(files)
	saves, err := db.Saves(ctx, sid)
	ok(t, err)
	got["saves"] = len(saves)
	changes, err := db.History(ctx, sid, 10)
	ok(t, err)
	told, err := db.Deliveries(ctx, "w", "", 100)
	ok(t, err)
	for _, d := range told {
		if d.Session == sid {
			got["told"]++
		}
	}
	got["changes"] = len(changes)
	do(t, db, func(tx *store.Tx) error {
		envs, err := tx.Environments(sid)
		got["environments"] = len(envs)
		if err == nil {
			_, got["start keys"], err = found(tx.StartKey("start " + string(sid)))
		}
		if err == nil {
			_, got["answers"], err = found(tx.Answer(sid.Run(4), 1))
		}
		return err
	})
	return got
}

func found[T any](v T, is bool, err error) (T, int, error) {
	if is {
		return v, 1, err
	}
	return v, 0, err
}

// testDelete: of a deleted session one row stays, which says so to whoever asks
// for it; of others everything stays.
func testDelete(t *testing.T, db *store.DB) {
	s, other := settled(t, db), settled(t, db)
	sid := s.Session.ID
	before, others := holdings(t, db, sid), holdings(t, db, other.Session.ID)
	for what, n := range before {
		if n == 0 && what != "changes" {
			t.Errorf("there are no %s to delete", what)
		}
	}
	want := s.Session.Deletion("ada", "asked to", start.Add(time.Hour), nil)
	do(t, db, func(tx *store.Tx) error { return tx.Delete(want) })
	ok(t, db.Clear(t.Context(), sid))
	for what, n := range holdings(t, db, sid) {
		if n != 0 {
			t.Errorf("%d %s are left", n, what)
		}
	}
	equal(t, "another session", holdings(t, db, other.Session.ID), others)

	got, is, err := db.Deletion(t.Context(), sid)
	ok(t, err)
	equal(t, "found", is, true)
	equal(t, "what stays", got, want)
	_, err = db.View(t.Context(), sid)
	code(t, err, blaise.CodeNotFound)
	if err == nil || !strings.Contains(err.Error(), "deleted at 2026-11-29T13:00:00Z by ada: asked to") {
		t.Errorf("who asks for it is told: %v", err)
	}
	err = db.Tx(t.Context(), func(tx *store.Tx) error { _, err := tx.Snapshot(sid); return err })
	code(t, err, blaise.CodeNotFound)
	named, err := db.FindSession(t.Context(), string(sid))
	ok(t, err)
	equal(t, "found by its id", named, sid)
	err = db.Tx(t.Context(), func(tx *store.Tx) error { return tx.CreateSession(New(sid)) })
	if !errors.Is(err, store.ErrExists) {
		t.Errorf("its id is given again: %v", err)
	}
}

// testSettled: only what has ended, holds nothing and was not touched is listed,
// page by page; work that others go on from is known.
func testSettled(t *testing.T, db *store.DB) {
	never := time.Now().Add(time.Hour) // later than the store has written
	all := []blaise.SessionID{settled(t, db).Session.ID, settled(t, db).Session.ID}
	open, heir, orphan, held := Full(id()), Full(id()), Full(id()), Full(id())
	heir.Session.From, heir.Session.Saves = all[0], 0
	orphan.Session.Outcome, orphan.Session.State = blaise.OutcomeFailed, blaise.SessionEnded
	orphan.Environment.State, orphan.Run = blaise.EnvOrphaned, nil
	held.Session.Held, held.Session.State = true, blaise.SessionEnded
	held.Environment.State, held.Run, held.Environment.Plugs = blaise.EnvDestroyed, nil, nil
	create(t, db, open, heir, orphan, held)

	var got []blaise.SessionID
	after := ""
	for range len(all) {
		page, err := db.Settled(t.Context(), never, "", after, 1)
		ok(t, err)
		equal(t, "page", len(page), 1)
		got, after = append(got, page[0].ID), page[0].Cursor()
	}
	equal(t, "settled", got, all)
	last, err := db.Settled(t.Context(), never, "", after, 1)
	ok(t, err)
	equal(t, "page after the last", len(last), 0)
	early, err := db.Settled(t.Context(), start, "", "", 9)
	ok(t, err)
	equal(t, "touched since", len(early), 0)
	do(t, db, func(tx *store.Tx) error {
		heirs, err := tx.Heirs(all[0])
		equal(t, "heirs", heirs, []blaise.SessionID{heir.Session.ID})
		none, err2 := tx.Heirs(all[1])
		equal(t, "heirs of another", len(none), 0)
		return errors.Join(err, err2)
	})
}
