package storetest

import (
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testFind(t *testing.T, db *store.DB) {
	create(t, db, New("abc12345"), New("abd12345"), New("abc1"))
	find := func(prefix string) blaise.SessionID {
		t.Helper()
		got, err := db.FindSession(t.Context(), prefix)
		ok(t, err)
		return got
	}
	equal(t, "by the whole id", find("abc12345"), "abc12345")
	equal(t, "by an id that others begin with", find("abc1"), "abc1")
	equal(t, "by a prefix, in capitals", find("ABD"), "abd12345")
	_, err := db.FindSession(t.Context(), "ab")
	code(t, err, blaise.CodeInvalid)
	for _, none := range []string{"x", "", "abd12345.1"} {
		_, err = db.FindSession(t.Context(), none)
		code(t, err, blaise.CodeNotFound)
	}
}

func testList(t *testing.T, db *store.DB) {
	var ids []blaise.SessionID
	for i := range 6 {
		s := New(id())
		s.Session.CreatedAt = start.Add(time.Duration(i/2) * time.Hour) // two of each
		switch i {
		case 0:
			s.Environment.State = blaise.EnvOrphaned
		case 1:
			s.Session.Agent, s.Session.Title = "other", "100% Done_"
		case 2:
			s.Session.State = blaise.SessionParked
			s.Questions = []blaise.Question{{ID: s.Session.ID.Question(1), State: blaise.QuestionOpen}}
		}
		create(t, db, s)
		ids = append(ids, s.Session.ID)
	}
	list := func(f store.Filter) (got []blaise.SessionID) {
		t.Helper()
		all, err := db.Sessions(t.Context(), f)
		ok(t, err)
		for _, s := range all {
			got = append(got, s.ID)
		}
		return got
	}
	of := func(n ...int) (want []blaise.SessionID) {
		for _, i := range n {
			want = append(want, ids[i])
		}
		return want
	}
	equal(t, "all", list(store.Filter{}), of(5, 4, 3, 2, 1, 0))
	equal(t, "by agent", list(store.Filter{Agent: "other"}), of(1))
	equal(t, "by state", list(store.Filter{State: blaise.SessionParked}), of(2))
	equal(t, "that need a person", list(store.Filter{NeedsPerson: true}), of(2, 0))
	equal(t, "by text", list(store.Filter{Text: "ROOF"}), of(5, 4, 3, 2, 0))
	equal(t, "by text with wildcards", list(store.Filter{Text: "% done_"}), of(1))
	var paged []blaise.SessionID
	for f := (store.Filter{Limit: 2}); ; {
		page, err := db.Sessions(t.Context(), f)
		ok(t, err)
		if len(page) == 0 {
			break
		}
		for _, s := range page {
			paged = append(paged, s.ID)
			f.Before = s.Cursor()
		}
	}
	equal(t, "by pages", paged, of(5, 4, 3, 2, 1, 0))
	_, err := db.Sessions(t.Context(), store.Filter{Before: "x"})
	code(t, err, blaise.CodeInvalid)
	checkCounts(t, db, ids)
}

func checkCounts(t *testing.T, db *store.DB, ids []blaise.SessionID) {
	counts, err := db.Counts(t.Context())
	ok(t, err)
	want := map[blaise.SessionState]int{blaise.SessionQueued: 5, blaise.SessionParked: 1}
	equal(t, "counts", counts, want)
	parked, err := db.Sessions(t.Context(), store.Filter{State: blaise.SessionParked})
	ok(t, err)
	equal(t, "waits", parked[0].Waits, 1)
	equal(t, "environment", parked[0].Environment, blaise.EnvNone)
	of, err := db.SessionsOf(t.Context(), "other", true)
	ok(t, err)
	equal(t, "sessions of an agent", of, ids[1:2])
	change(t, db, ids[1], func(p *blaise.Plan) { p.Next.Session.State = blaise.SessionEnded })
	of, err = db.SessionsOf(t.Context(), "other", true)
	ok(t, err)
	equal(t, "unended sessions of an agent", of, []blaise.SessionID(nil))
	of, err = db.SessionsOf(t.Context(), "other", false)
	ok(t, err)
	equal(t, "all sessions of an agent", of, ids[1:2])
}

func testView(t *testing.T, db *store.DB) {
	s := Full(id())
	create(t, db, s)
	old := s.Environment
	change(t, db, s.Session.ID, func(p *blaise.Plan) {
		p.Next.Environment.ID, p.Next.Environment.Generation = s.Session.ID.Environment(3), 3
	})
	v, err := db.View(t.Context(), s.Session.ID)
	ok(t, err)
	equal(t, "older environments", v.Older, []blaise.Environment{old})
	equal(t, "generation", v.Environment.Generation, 3)
	equal(t, "runs", v.Runs, []blaise.Run{*s.Last, *s.Run})
	equal(t, "messages", v.Messages, s.Messages)
	equal(t, "questions", v.Questions, s.Questions)
	equal(t, "clocks", v.Clocks, s.Clocks)
	equal(t, "saves", v.Saves, []blaise.SavedWork{s.Save})
	equal(t, "directives", v.Directives, s.Directives)
	equal(t, "version", v.Session.Version, s.Session.Version+1)
	if v.UpdatedAt.IsZero() {
		t.Error("no time of the last change")
	}
}
