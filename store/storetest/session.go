package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testRoundTrip(t *testing.T, db *store.DB) {
	want := Full(id())
	create(t, db, want)
	equal(t, "snapshot", load(t, db, want.Session.ID), want)

	// Written in local time, read in UTC.
	zone := time.FixedZone("east", 3600)
	change(t, db, want.Session.ID, func(p *blaise.Plan) {
		p.Next.Session.CreatedAt = start.In(zone)
		p.Next.Run.TurnSince = start.In(zone)
		p.Next.Clocks[0].Since = start.In(zone)
	})
	want.Session.CreatedAt, want.Run.TurnSince, want.Clocks[0].Since = start, start, start
	want.Session.Version++
	equal(t, "snapshot of local times", load(t, db, want.Session.ID), want)
}

func testPlan(t *testing.T, db *store.DB) {
	s := Full(id())
	create(t, db, s)
	sid := s.Session.ID
	run, said, asked := *s.Run, s.Messages[0], s.Questions[0]
	run.State, run.Outcome, run.EndedAt = blaise.RunEnded, blaise.RunLost, start.Add(time.Hour)
	said.State, asked.State = blaise.MessageAnswered, blaise.QuestionApplied
	next := blaise.Run{ID: sid.Run(5), Attempt: 5, Kind: blaise.RunResume,
		State: blaise.RunOffered, OfferedAt: start}
	fresh := blaise.Message{ID: sid.Message(2), N: 2, Text: "and on", State: blaise.MessageQueued}
	issued := blaise.Directive{N: 90, Run: next.ID, Kind: blaise.DirectivePrompt, IssuedAt: start}
	history := []blaise.Change{{Subject: "session", From: "parked", To: "queued", At: start}}
	env := s.Environment
	env.ID, env.Generation, env.State = sid.Environment(3), 3, blaise.EnvCreating
	change(t, db, sid, func(p *blaise.Plan) {
		p.Next.Session.State, p.Next.Environment = blaise.SessionQueued, env
		p.Next.Run, p.Next.Last = &next, &run
		p.Next.Messages, p.Next.Questions = []blaise.Message{fresh}, nil
		p.Next.Clocks = []blaise.Clock{{Kind: blaise.ClockIdle, DueAt: start}}
		p.Next.Directives = []blaise.Directive{issued}
		p.Ended = blaise.Ended{Runs: []blaise.Run{run}, Messages: []blaise.Message{said},
			Questions: []blaise.Question{asked}}
		p.Issue, p.Void = []blaise.Directive{issued}, []int64{s.Directives[0].N}
		p.History = history
	})
	want := s
	want.Session.State, want.Session.Version = blaise.SessionQueued, s.Session.Version+1
	want.Environment, want.Run, want.Last = env, &next, &run
	want.Messages, want.Questions = []blaise.Message{fresh}, nil
	want.Clocks = []blaise.Clock{{Kind: blaise.ClockIdle, DueAt: start}}
	want.Directives = []blaise.Directive{issued}
	equal(t, "snapshot", load(t, db, sid), want)

	got, err := db.History(t.Context(), sid, 10)
	ok(t, err)
	equal(t, "history", got, history)
	checkEnded(t, db, run, said, asked)
}

// checkEnded finds rows that are in no snapshot any more.
func checkEnded(
	t *testing.T, db *store.DB, run blaise.Run, said blaise.Message, asked blaise.Question,
) {
	t.Helper()
	do(t, db, func(tx *store.Tx) error {
		m, err := tx.Message(said.ID)
		equal(t, "ended message", m, said)
		q, err2 := tx.Question(asked.ID)
		equal(t, "ended question", q, asked)
		r, err3 := tx.Run(run.ID)
		equal(t, "ended run", r, run)
		byKey, found, err4 := tx.MessageByKey(said.ID.Session(), said.Key)
		equal(t, "message by key", byKey, said)
		equal(t, "message by key found", found, true)
		return errors.Join(err, err2, err3, err4)
	})
}

// testTakeback: a lost run is back before its successor was accepted (X2).
func testTakeback(t *testing.T, db *store.DB) {
	s := New(id())
	sid := s.Session.ID
	first := *s.Run
	first.State, first.AcceptedAt, first.EndedAt = blaise.RunEnded, start, start.Add(time.Minute)
	s.Last = &first
	s.Run = &blaise.Run{ID: sid.Run(2), Attempt: 2, State: blaise.RunOffered, OfferedAt: start}
	create(t, db, s)
	back, withdrawn := first, *s.Run
	back.State, back.EndedAt = blaise.RunConnected, time.Time{}
	withdrawn.State, withdrawn.EndedAt = blaise.RunEnded, start.Add(time.Hour)
	change(t, db, sid, func(p *blaise.Plan) {
		p.Next.Run, p.Next.Last = &back, nil
		p.Ended.Runs = []blaise.Run{withdrawn}
	})
	got := load(t, db, sid)
	equal(t, "run taken back", *got.Run, back)
	if got.Last != nil {
		t.Errorf("a run withdrawn before it was accepted counts as the last one: %+v", *got.Last)
	}
	offers, err := db.Offers(t.Context(), 9)
	ok(t, err)
	equal(t, "offers", len(offers.Runs), 0)
	// Lost again, it is the one that may be taken back again.
	back.State, back.EndedAt = blaise.RunEnded, start.Add(2*time.Hour)
	change(t, db, sid, func(p *blaise.Plan) {
		p.Next.Run, p.Next.Last = nil, &back
		p.Ended.Runs = []blaise.Run{back}
	})
	equal(t, "last run", *load(t, db, sid).Last, back)
}

func testNoChange(t *testing.T, db *store.DB) {
	s := Full(id())
	create(t, db, s)
	change(t, db, s.Session.ID, func(p *blaise.Plan) { p.Next.Policy = blaise.DefaultPolicy() })
	equal(t, "version", load(t, db, s.Session.ID).Session.Version, s.Session.Version)
}

func testLostRow(t *testing.T, db *store.DB) {
	s := Full(id())
	create(t, db, s)
	for what, lose := range map[string]func(p *blaise.Plan){
		"message":  func(p *blaise.Plan) { p.Next.Messages = nil },
		"question": func(p *blaise.Plan) { p.Next.Questions = nil },
		"run":      func(p *blaise.Plan) { p.Next.Run = nil },
	} {
		err := db.Tx(t.Context(), func(tx *store.Tx) error { return apply(tx, s.Session.ID, lose) })
		if err == nil {
			t.Errorf("a lost %s was not refused", what)
		}
	}
	equal(t, "snapshot", load(t, db, s.Session.ID), s)
}

func testExists(t *testing.T, db *store.DB) {
	s := New(id())
	create(t, db, s)
	err := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.CreateSession(s) })
	if !errors.Is(err, store.ErrExists) {
		t.Errorf("second session: %v, want ErrExists", err)
	}
	do(t, db, func(tx *store.Tx) error { return tx.KeepStartKey("key", s.Messages[0].ID) })
	err = db.Tx(t.Context(), func(tx *store.Tx) error { return tx.KeepStartKey("key", "other") })
	if !errors.Is(err, store.ErrExists) {
		t.Errorf("second start key: %v, want ErrExists", err)
	}
	do(t, db, func(tx *store.Tx) error {
		m, found, err := tx.StartKey("key")
		equal(t, "start key", m, s.Messages[0].ID)
		equal(t, "start key found", found, true)
		return err
	})
}

func testConflict(t *testing.T, db *store.DB) {
	s := New(id())
	create(t, db, s)
	change(t, db, s.Session.ID, func(p *blaise.Plan) { p.Next.Session.Title = "new" })
	stale := blaise.Plan{Next: s}
	stale.Next.Session.Title = "other"
	err := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Write(s, stale) })
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("write of an old snapshot: %v, want ErrConflict", err)
	}
	equal(t, "title", load(t, db, s.Session.ID).Session.Title, "new")
}

func testNotFound(t *testing.T, db *store.DB) {
	do(t, db, func(tx *store.Tx) error {
		_, err := tx.Snapshot("none")
		code(t, err, blaise.CodeNotFound)
		_, err = tx.Run("none.1")
		code(t, err, blaise.CodeNotFound)
		_, err = tx.Message("none.m1")
		code(t, err, blaise.CodeNotFound)
		return nil
	})
	_, err := db.View(t.Context(), "none")
	code(t, err, blaise.CodeNotFound)
	_, err = db.RunByLease(t.Context(), []byte("none"))
	code(t, err, blaise.CodeNotFound)
}

// callers is how many share a transaction in these tests.
const callers = 32

// together runs fn callers times at once.
func together(fn func(i int)) {
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}

func testSerialized(t *testing.T, db *store.DB) {
	s := New(id())
	create(t, db, s)
	together(func(int) {
		check(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return apply(tx, s.Session.ID, func(p *blaise.Plan) { p.Next.Session.Turns++ })
		}))
	})
	got := load(t, db, s.Session.ID).Session
	equal(t, "turns", got.Turns, callers)
	equal(t, "version", got.Version, int64(callers))
}

func testIsolation(t *testing.T, db *store.DB) {
	wrong := errors.New("wrong")
	ids := make([]blaise.SessionID, callers)
	for i := range ids {
		ids[i] = id()
	}
	together(func(i int) {
		err := db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.CreateSession(New(ids[i])); err != nil || i%4 != 0 {
				return err
			}
			return wrong
		})
		if failed := errors.Is(err, wrong); failed != (i%4 == 0) {
			t.Errorf("caller %d: %v", i, err)
		}
	})
	checkCreated(t, db, ids, func(i int) bool { return i%4 != 0 })
}

func checkCreated(t *testing.T, db *store.DB, ids []blaise.SessionID, want func(i int) bool) {
	t.Helper()
	for i, id := range ids {
		_, err := db.View(t.Context(), id)
		if (err == nil) != want(i) {
			t.Errorf("session of caller %d: %v, want it there: %v", i, err, want(i))
		}
	}
}

func testCancelled(t *testing.T, db *store.DB) {
	ids := make([]blaise.SessionID, callers)
	for i := range ids {
		ids[i] = id()
	}
	var mu sync.Mutex
	done := map[int]bool{}
	together(func(i int) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if i%8 == 1 {
			cancel(errors.New("gone before"))
		}
		err := db.Tx(ctx, func(tx *store.Tx) error {
			if i%8 == 0 {
				cancel(errors.New("gone within")) // too late: it is carried to its end
			}
			return tx.CreateSession(New(ids[i]))
		})
		mu.Lock()
		defer mu.Unlock()
		done[i] = err == nil
	})
	for i := range callers {
		if i%8 != 1 && !done[i] {
			t.Errorf("caller %d failed", i)
		}
	}
	checkCreated(t, db, ids, func(i int) bool { return done[i] })
}

func testPanic(t *testing.T, db *store.DB) {
	sid := id()
	func() {
		defer func() {
			equal(t, "panic", recover(), any("mine"))
		}()
		_ = db.Tx(t.Context(), func(tx *store.Tx) error {
			ok(t, tx.CreateSession(New(sid)))
			panic("mine")
		})
	}()
	create(t, db, New(sid))
	equal(t, "id", load(t, db, sid).Session.ID, sid)
}
