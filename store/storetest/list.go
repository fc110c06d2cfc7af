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

// listed makes six sessions, two in each hour.
func listed(t *testing.T, db *store.DB) (ids []blaise.SessionID) {
	for i := range 6 {
		s := New(id())
		s.Session.CreatedAt = start.Add(time.Duration(i/2) * time.Hour)
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
	return ids
}

func testList(t *testing.T, db *store.DB) {
	ids := listed(t, db)
	for _, c := range []struct {
		name   string
		filter store.Filter
		want   []int
	}{
		{"all", store.Filter{}, []int{5, 4, 3, 2, 1, 0}},
		{"by agent", store.Filter{Agent: "other"}, []int{1}},
		{"by state", store.Filter{State: blaise.SessionParked}, []int{2}},
		{"that need a person", store.Filter{NeedsPerson: true}, []int{2, 0}},
		{"by text", store.Filter{Text: "ROOF"}, []int{5, 4, 3, 2, 0}},
		{"by text with wildcards", store.Filter{Text: "% done_"}, []int{1}},
	} {
		for _, page := range []int{0, 1, 2} { // the order holds over pages
			var got []blaise.SessionID
			for f := c.filter; ; {
				f.Limit = page
				lines, err := db.Sessions(t.Context(), f)
				ok(t, err)
				for _, s := range lines {
					got, f.Before = append(got, s.ID), s.Cursor()
				}
				if len(lines) == 0 {
					break
				}
			}
			var want []blaise.SessionID
			for _, i := range c.want {
				want = append(want, ids[i])
			}
			equal(t, c.name, got, want)
		}
	}
	_, err := db.Sessions(t.Context(), store.Filter{Before: "x"})
	code(t, err, blaise.CodeInvalid)
}

func testCounts(t *testing.T, db *store.DB) {
	listed(t, db)
	counts, err := db.Counts(t.Context())
	ok(t, err)
	want := map[blaise.SessionState]int{blaise.SessionQueued: 5, blaise.SessionParked: 1}
	equal(t, "counts", counts, want)
	parked, err := db.Sessions(t.Context(), store.Filter{State: blaise.SessionParked})
	ok(t, err)
	equal(t, "waits", parked[0].Waits, 1)
	equal(t, "environment", parked[0].Environment, blaise.EnvNone)
	figures, err := db.Figures(t.Context())
	ok(t, err)
	equal(t, "sessions by figures", figures.Sessions, want)
	equal(t, "open questions", figures.Questions, 1)
	needs, failed, err := db.Needy(t.Context(), time.Time{})
	ok(t, err)
	equal(t, "need a person", needs, 2)
	equal(t, "failed", failed, 0)
	equal(t, "nothing waits for a teardown", figures.Teardowns, store.Queue{})
}

// testOutcomes: sessions are found and counted by how they ended, also after
// that has changed.
func testOutcomes(t *testing.T, db *store.DB) {
	var failed []blaise.SessionID
	for i, outcome := range []blaise.Outcome{"", blaise.OutcomeFailed, blaise.OutcomeSucceeded, blaise.OutcomeFailed} {
		s := New(id())
		s.Session.Title = `"Outcome":"failed"`
		s.Session.CreatedAt = start.Add(time.Duration(i) * time.Hour)
		if s.Session.Outcome = outcome; outcome != "" {
			s.Session.State = blaise.SessionEnded
		}
		create(t, db, s)
		if outcome == blaise.OutcomeFailed {
			failed = append(failed, s.Session.ID)
		}
	}
	counts, err := db.Ended(t.Context())
	ok(t, err)
	equal(t, "counts", counts, map[blaise.Outcome]int{blaise.OutcomeFailed: 2, blaise.OutcomeSucceeded: 1})
	list, err := db.Sessions(t.Context(), store.Filter{Outcome: blaise.OutcomeFailed})
	ok(t, err)
	equal(t, "failed ones, the latest first", []blaise.SessionID{list[0].ID, list[1].ID}, []blaise.SessionID{failed[1], failed[0]})
	for since, want := range map[time.Time]int{list[0].UpdatedAt.Add(-time.Hour): 2, list[0].UpdatedAt.Add(time.Hour): 0} {
		_, got, err := db.Needy(t.Context(), since)
		ok(t, err)
		equal(t, "failed lately", got, want)
		lately, err := db.Sessions(t.Context(), store.Filter{Outcome: blaise.OutcomeFailed, Since: since})
		ok(t, err)
		equal(t, "listed as failed lately", len(lately), want)
	}
}

func testSessionsOf(t *testing.T, db *store.DB) {
	ids := listed(t, db)
	of := func(unended bool) []blaise.SessionID {
		got, err := db.SessionsOf(t.Context(), "other", unended)
		ok(t, err)
		return got
	}
	equal(t, "unended", of(true), ids[1:2])
	change(t, db, ids[1], func(p *blaise.Plan) { p.Next.Session.State = blaise.SessionEnded })
	equal(t, "unended after the end", of(true), nil)
	equal(t, "all", of(false), ids[1:2])
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
