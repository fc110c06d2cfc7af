package storetest

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testDirectives(t *testing.T, db *store.DB) {
	s := New(id())
	sid, run := s.Session.ID, s.Run.ID
	var all []blaise.Directive
	for n := range int64(3) {
		d := blaise.Directive{N: n + 1, Run: run, Kind: blaise.DirectivePrompt, IssuedAt: start}
		all = append(all, d)
	}
	create(t, db, s)
	change(t, db, sid, func(p *blaise.Plan) { p.Issue = all })
	equal(t, "open directives", load(t, db, sid).Directives, all)
	change(t, db, sid, func(p *blaise.Plan) { p.Void, p.Next.Directives = []int64{2}, nil })
	received := func(n int64, v blaise.Verdict) error {
		return db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Received(run, n, v) })
	}
	ok(t, received(1, blaise.VerdictGo))
	ok(t, received(1, blaise.VerdictGo))
	code(t, received(1, blaise.VerdictExit), blaise.CodeRefused)
	code(t, received(2, blaise.VerdictGo), blaise.CodeRefused)
	code(t, received(9, blaise.VerdictGo), blaise.CodeNotFound)
	do(t, db, func(tx *store.Tx) error {
		for n, want := range []string{store.DirectiveReceived, store.DirectiveVoid, store.DirectiveOpen} {
			d, state, _, err := tx.Directive(sid, int64(n+1))
			ok(t, err)
			equal(t, "directive", d, all[n])
			equal(t, "state", state, want)
		}
		return nil
	})
	open, void, err := db.Directives(t.Context(), run, 0)
	ok(t, err)
	equal(t, "open", open, all[2:])
	equal(t, "void", void, []int64{2})
	last, err := db.LastDirective(t.Context(), sid)
	ok(t, err)
	equal(t, "last", last, int64(3))
}

func testAnswers(t *testing.T, db *store.DB) {
	run := id().Run(1)
	do(t, db, func(tx *store.Tx) error {
		_, found, err := tx.Answer(run, 1)
		equal(t, "found", found, false)
		return err
	})
	for _, answer := range []string{"first", "second"} {
		do(t, db, func(tx *store.Tx) error { return tx.KeepAnswer(run, 1, []byte(answer)) })
	}
	do(t, db, func(tx *store.Tx) error {
		got, found, err := tx.Answer(run, 1)
		equal(t, "found", found, true)
		equal(t, "answer", string(got), "first")
		return err
	})
}

func hash(s string) []byte {
	h := sha256.Sum256([]byte(s))
	return h[:]
}

func testLease(t *testing.T, db *store.DB) {
	s := New(id())
	create(t, db, s)
	token := hash("lease of " + string(s.Run.ID))
	do(t, db, func(tx *store.Tx) error {
		_, found, err := tx.Lease(s.Run.ID)
		equal(t, "found", found, false)
		ok(t, err)
		return tx.KeepLease(s.Run.ID, "nonce", token)
	})
	change(t, db, s.Session.ID, func(p *blaise.Plan) { p.Next.Run.State = blaise.RunAccepted })
	do(t, db, func(tx *store.Tx) error {
		l, found, err := tx.Lease(s.Run.ID)
		equal(t, "found", found, true)
		equal(t, "lease", l, store.Lease{Nonce: "nonce", TokenHash: token})
		code(t, tx.KeepLease("none.1", "n", nil), blaise.CodeNotFound)
		return err
	})
	r, err := db.RunByLease(t.Context(), token)
	ok(t, err)
	equal(t, "run", r.ID, s.Run.ID)
}

func testConfigAndSaves(t *testing.T, db *store.DB) {
	s := New(id())
	create(t, db, s)
	env := s.Environment.ID
	w := blaise.SavedWork{N: 1, Ref: "refs/blaise/x/1", Commit: "c", At: start}
	do(t, db, func(tx *store.Tx) error {
		none, err := tx.Config(env)
		equal(t, "config", none, []byte(nil))
		ok(t, err)
		code(t, tx.KeepConfig("none", []byte("x")), blaise.CodeNotFound)
		ok(t, tx.KeepSave(s.Session.ID, w))
		return tx.KeepConfig(env, []byte("version: 1\n"))
	})
	change(t, db, s.Session.ID, func(p *blaise.Plan) {
		p.Next.Environment.State = blaise.EnvOpen
		p.Next.Session.Saves, p.Next.Save = 1, w
	})
	do(t, db, func(tx *store.Tx) error {
		got, err := tx.Config(env)
		equal(t, "config", string(got), "version: 1\n")
		return err
	})
	saves, err := db.Saves(t.Context(), s.Session.ID)
	ok(t, err)
	equal(t, "saves", saves, []blaise.SavedWork{w})
	equal(t, "last save", load(t, db, s.Session.ID).Save, w)
}

func testPlugState(t *testing.T, db *store.DB) {
	env := id().Environment(1)
	save := func(value []byte) error {
		return db.Tx(t.Context(), func(tx *store.Tx) error { return tx.SavePlugState(env, "db", value) })
	}
	check := func(want []byte) {
		t.Helper()
		got, err := db.PlugState(t.Context(), env, "db")
		ok(t, err)
		if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("state = %q, want %q", got, want)
		}
	}
	check(nil)
	for _, v := range []string{"a", "", strings.Repeat("x", 64<<10)} {
		ok(t, save([]byte(v)))
		check([]byte(v))
	}
	code(t, save(make([]byte, 64<<10+1)), blaise.CodeInvalid)
	ok(t, save(nil))
	check(nil)
}

func testOffers(t *testing.T, db *store.DB) {
	a := store.Agent{Name: "demo", Requirements: map[string]string{"os": "linux"}, Revision: 1}
	do(t, db, func(tx *store.Tx) error { return tx.PutAgent(a) })
	var snaps []blaise.Snapshot
	for i := range 5 {
		s := New(id())
		s.Run.OfferedAt = start.Add(time.Duration(-i) * time.Minute)
		snaps = append(snaps, s)
	}
	snaps[0].Run.Kind = blaise.RunTeardown
	snaps[2].Session.Held = true
	snaps[3].Session.Agent = "unknown"
	create(t, db, snaps...)
	offered := func(limit int) (ids []blaise.RunID) {
		t.Helper()
		offers, err := db.Offers(t.Context(), limit)
		ok(t, err)
		for _, o := range offers.Runs {
			ids = append(ids, o.Run.ID)
			want := a.Requirements
			if o.Agent != "demo" {
				want = nil
			}
			equal(t, "requirements", o.Requirements, want)
			equal(t, "session", o.Session, o.Run.ID.Session())
		}
		return ids
	}
	run := func(i int) blaise.RunID { return snaps[i].Run.ID }
	equal(t, "offers", offered(9), []blaise.RunID{run(0), run(4), run(3), run(1)})
	equal(t, "first offer", offered(1), []blaise.RunID{run(0)})
	change(t, db, snaps[4].Session.ID, func(p *blaise.Plan) { p.Next.Run.State = blaise.RunAccepted })
	equal(t, "offers after one was taken", offered(9), []blaise.RunID{run(0), run(3), run(1)})
}

func testLiveRuns(t *testing.T, db *store.DB) {
	states := []blaise.RunState{
		blaise.RunOffered, blaise.RunAccepted, blaise.RunStopping, blaise.RunEnded,
	}
	var want []blaise.RunID
	var sessions []blaise.SessionID
	for _, state := range states {
		s := New(id())
		s.Session.Runner = "r1"
		s.Run.State, s.Run.Runner, s.Run.Instance = state, "r1", "i1"
		if state == blaise.RunEnded {
			s.Last, s.Run = s.Run, nil
			s.Session.State = blaise.SessionEnded
		}
		create(t, db, s)
		if state == blaise.RunAccepted || state == blaise.RunStopping {
			want = append(want, s.Session.ID.Run(1))
		}
		if state != blaise.RunEnded {
			sessions = append(sessions, s.Session.ID)
		}
	}
	ids := func(runs []blaise.Run, err error) (ids []blaise.RunID) {
		ok(t, err)
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
		return ids
	}
	do(t, db, func(tx *store.Tx) error {
		equal(t, "runs of the runner", ids(tx.LiveRuns("r1")), want)
		return nil
	})
	equal(t, "runs of the instance", ids(db.LiveRunsOf(t.Context(), "i1")), want)
	equal(t, "runs of another", ids(db.LiveRunsOf(t.Context(), "i2")), []blaise.RunID(nil))
	at, err := db.SessionsAt(t.Context(), "r1")
	ok(t, err)
	equal(t, "sessions at the runner", at, sessions)
}
