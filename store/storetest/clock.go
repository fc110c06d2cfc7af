package storetest

import (
	"slices"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func paused(sid blaise.SessionID, due time.Time) blaise.Snapshot {
	s := New(sid)
	s.Session.State, s.Environment.State = blaise.SessionPaused, blaise.EnvPaused
	s.Run, s.Messages = nil, nil
	s.Clocks = []blaise.Clock{{
		Kind: blaise.ClockMaxPaused, Since: start, DueAt: due,
		Setting: "policy.maxPaused = 7d (agent demo, revision 3)",
	}}
	return s
}

func testDue(t *testing.T, db *store.DB) {
	_, found, err := db.NextDue(t.Context())
	ok(t, err)
	equal(t, "a clock runs", found, false)
	var snaps []blaise.Snapshot
	for i := range 4 {
		snaps = append(snaps, paused(id(), start.Add(time.Duration(-i)*time.Minute)))
	}
	create(t, db, snaps...)
	next, found, err := db.NextDue(t.Context())
	ok(t, err)
	equal(t, "a clock runs", found, true)
	equal(t, "next", next, start.Add(-3*time.Minute))

	due, err := db.Due(t.Context(), start.Add(-time.Minute), 2)
	ok(t, err)
	equal(t, "due", due, []store.Due{
		{Session: snaps[3].Session.ID, Clock: snaps[3].Clocks[0]},
		{Session: snaps[2].Session.ID, Clock: snaps[2].Clocks[0]},
	})
	do(t, db, func(tx *store.Tx) error {
		other := due[0]
		other.Clock.Subject = "another"
		ok(t, tx.TouchClock(other, start)) // none of it
		return tx.TouchClock(due[0], start.Add(time.Hour))
	})
	got := load(t, db, snaps[3].Session.ID)
	equal(t, "moved to", got.Clocks[0].DueAt, start.Add(time.Hour))
	equal(t, "version", got.Session.Version, int64(0))
	change(t, db, snaps[2].Session.ID, func(p *blaise.Plan) { p.Next.Clocks = nil })
	due, err = db.Due(t.Context(), start.Add(-time.Minute), 9)
	ok(t, err)
	equal(t, "due after one moved and one went", due, []store.Due{
		{Session: snaps[1].Session.ID, Clock: snaps[1].Clocks[0]},
	})
}

// testAhead: clocks that a wrong clock of the machine has started.
func testAhead(t *testing.T, db *store.DB) {
	var snaps []blaise.Snapshot
	for i := range 4 {
		s := paused(id(), start.Add(time.Duration(i)*time.Minute))
		s.Clocks[0].Since = start.Add(time.Duration(i) * time.Hour)
		snaps = append(snaps, s)
	}
	create(t, db, snaps...)
	var all []blaise.SessionID
	for last := blaise.SessionID(""); ; last = all[len(all)-1] {
		ids, err := db.SessionsAhead(t.Context(), start.Add(time.Hour), last, 1)
		ok(t, err)
		if len(ids) == 0 {
			break
		}
		all = append(all, ids...)
	}
	want := []blaise.SessionID{snaps[2].Session.ID, snaps[3].Session.ID}
	slices.Sort(want)
	equal(t, "sessions ahead", all, want)
}

// testHold: B11.
func testHold(t *testing.T, db *store.DB) {
	s := New(id())
	s.Clocks = []blaise.Clock{{Kind: blaise.ClockExpires, DueAt: start}}
	create(t, db, s)
	count := func() (n int) {
		due, err := db.Due(t.Context(), start, 9)
		ok(t, err)
		offers, err := db.Offers(t.Context(), 9)
		ok(t, err)
		return len(due) + len(offers.Runs)
	}
	equal(t, "before the hold", count(), 2)
	for _, held := range []bool{true, false} {
		change(t, db, s.Session.ID, func(p *blaise.Plan) { p.Next.Session.Held = held })
		want := 2
		if held {
			want = 0
		}
		equal(t, "clocks and offers", count(), want)
		equal(t, "clocks kept", load(t, db, s.Session.ID).Clocks, s.Clocks)
	}
}
