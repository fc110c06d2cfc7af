package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// limited makes an agent that may have so many runs at work.
func limited(t *testing.T, db *store.DB, agent blaise.AgentName, places int) {
	t.Helper()
	a := store.Agent{Name: agent, Revision: 1, Policy: blaise.Policy{Concurrency: places}}
	do(t, db, func(tx *store.Tx) error { return tx.PutAgent(a) })
}

// wait begins a session of an author whose run waits since so many seconds.
func wait(t *testing.T, db *store.DB, agent blaise.AgentName, author string, since int) blaise.RunID {
	t.Helper()
	s := New(id())
	s.Session.Agent, s.Session.Author = agent, author
	s.Run.OfferedAt = start.Add(time.Duration(since) * time.Second)
	create(t, db, s)
	return s.Run.ID
}

// serve has a run taken at a second.
func serve(t *testing.T, db *store.DB, run blaise.RunID, at int) {
	t.Helper()
	change(t, db, run.Session(), func(p *blaise.Plan) {
		p.Next.Run.State, p.Next.Run.AcceptedAt = blaise.RunAccepted, start.Add(time.Duration(at)*time.Second)
	})
}

func testLines(t *testing.T, db *store.DB) {
	limited(t, db, "one", 1)
	limited(t, db, "two", 0)
	var ann []blaise.RunID
	for i := range 40 {
		ann = append(ann, wait(t, db, "two", "ann", i))
	}
	bob, other := wait(t, db, "two", "bob", 50), wait(t, db, "one", "bob", 60)
	first := func(n int) (ids []blaise.RunID) {
		t.Helper()
		o, err := db.Offers(t.Context(), 4)
		ok(t, err)
		for _, o := range o.Runs[:n] {
			ids = append(ids, o.Run.ID)
		}
		equal(t, "more", o.More, true)
		return ids
	}
	equal(t, "one of every person", first(4), []blaise.RunID{ann[0], bob, ann[1], other})
	serve(t, db, ann[0], 70)
	equal(t, "who was never served", first(2), []blaise.RunID{bob, ann[1]})
	serve(t, db, bob, 71)
	equal(t, "who was served longest ago", first(2), []blaise.RunID{ann[1], other})

	p, err := db.Places(t.Context(), "two")
	ok(t, err)
	equal(t, "places", p, store.Places{AtWork: 2, Lines: []blaise.Line{
		{Author: "ann", Waiting: 39, Oldest: start.Add(time.Second), Served: start.Add(70 * time.Second)},
	}})
	w, found, err := db.Waiter(t.Context(), ann[3].Session())
	ok(t, err)
	equal(t, "waiter", w, store.Waiter{Run: ann[3], Agent: "two", Author: "ann", Ahead: 2})
	_, taken, err := db.Waiter(t.Context(), bob.Session())
	equal(t, "found", []any{found, taken, err}, []any{true, false, error(nil)})
	all, err := db.Waiters(t.Context(), "two")
	ok(t, err)
	equal(t, "waiters", len(all), 39)
}

// testManyLines: the first lines of so many are not all that waits.
func testManyLines(t *testing.T, db *store.DB) {
	limited(t, db, "full", 1)
	serve(t, db, wait(t, db, "full", "ann", 0), 1)
	wait(t, db, "full", "ann", 1)
	var runs []blaise.RunID
	for i := range 70 {
		agent := blaise.AgentName(fmt.Sprintf("a%02d", i%35))
		limited(t, db, agent, 0)
		runs = append(runs, wait(t, db, agent, fmt.Sprintf("p%02d", i), i))
	}
	for i := range 20 {
		runs = append(runs, wait(t, db, "a00", "p00", 100+i))
	}
	some, err := db.Offers(t.Context(), 4)
	ok(t, err)
	equal(t, "some", []any{len(some.Runs) < len(runs), some.More}, []any{true, true})
	all, err := db.AllOffers(t.Context())
	ok(t, err)
	var got []blaise.RunID
	for _, o := range all.Runs {
		got = append(got, o.Run.ID)
	}
	equal(t, "all", got, runs)
	of, err := db.OffersOf(t.Context(), "a00", 99)
	ok(t, err)
	few, err := db.OffersOf(t.Context(), "full", 1)
	ok(t, err)
	equal(t, "of one agent", []int{len(of), len(few)}, []int{22, 1})
	equal(t, "more, author", []any{all.More, all.Runs[69].Author}, []any{false, "p69"})
}

// testPlaces: as many at work as may be; then the agent's runs are not offered,
// but those that need no agent are.
func testPlaces(t *testing.T, db *store.DB) {
	limited(t, db, "two", 2)
	var runs []blaise.RunID
	for i := range 3 {
		runs = append(runs, wait(t, db, "two", "ann", i))
	}
	teardown := New(id())
	teardown.Session.Agent, teardown.Run.Kind = "two", blaise.RunTeardown
	shell := New(id())
	shell.Session.Agent, shell.Run.Kind = "two", blaise.RunShell
	shell.Run.OfferedAt = start.Add(time.Minute)
	create(t, db, teardown, shell)
	offered := func(free int, want ...blaise.RunID) {
		t.Helper()
		o, err := db.Offers(t.Context(), 9)
		ok(t, err)
		var got []blaise.RunID
		for _, o := range o.Runs {
			got = append(got, o.Run.ID)
		}
		equal(t, "offered", got, append([]blaise.RunID{teardown.Run.ID, shell.Run.ID}, want...))
		equal(t, "free", o.Free, map[blaise.AgentName]int{"two": free})
	}
	offered(2, runs...)
	serve(t, db, runs[0], 5)
	offered(1, runs[1:]...)
	serve(t, db, runs[1], 6)
	offered(0)
	limited(t, db, "two", 3)
	offered(1, runs[2])
	limited(t, db, "two", 1)
	offered(0)
	for _, run := range runs[:2] {
		change(t, db, run.Session(), func(p *blaise.Plan) {
			p.Next.Run.State = blaise.RunEnded
			p.Ended.Runs, p.Next.Run = []blaise.Run{*p.Next.Run}, nil
		})
	}
	offered(1, runs[2])
}

// testPlaceIsTakenOnce: whoever counts and then takes is not overtaken.
func testPlaceIsTakenOnce(t *testing.T, db *store.DB) {
	limited(t, db, "two", 2)
	var runs []blaise.RunID
	for i := range 24 {
		runs = append(runs, wait(t, db, "two", fmt.Sprint("p", i%5), i))
	}
	var taken atomic.Int64
	var taking sync.WaitGroup
	for _, run := range runs {
		taking.Go(func() {
			check(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				n, err := tx.AtWork("two")
				if err != nil || n >= 2 {
					return err
				}
				<-time.After(2 * time.Millisecond) // for whom nothing keeps from counting too
				err = apply(tx, run.Session(), func(p *blaise.Plan) { p.Next.Run.State = blaise.RunAccepted })
				if err == nil {
					taken.Add(1)
				}
				return err
			}))
		})
	}
	taking.Wait()
	p, err := db.Places(t.Context(), "two")
	ok(t, err)
	equal(t, "taken", []any{int(taken.Load()), p.AtWork, p.Waiting()}, []any{2, 2, 22})
}
