package control_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// A herd of instances does not go for the same run (R19): what one was shown,
// the others are not, for a moment; then it is everybody's again. Whoever
// accepts, each run is taken once (R18, P45).
func TestR19TheHerdIsShownDifferentRuns(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	for range 3 {
		h.start("hello")
	}
	seen := map[blaise.RunID]bool{}
	for i := range 3 {
		got := h.offers(i)
		if len(got) != 1 || seen[got[0].Run.ID] {
			t.Fatalf("instance %d was shown %+v, after %v", i, got, seen)
		}
		seen[got[0].Run.ID] = true
	}
	if got := h.offers(3); len(got) > 0 {
		t.Errorf("a fourth was shown %+v", got)
	}
	if got := h.offers(0); len(got) != 1 {
		t.Errorf("the first was not shown its own again: %+v", got)
	}
	w.step(2e9)
	if got := h.offers(3); len(got) != 1 {
		t.Error("what nobody took was kept from the others")
	}
}

// An instance that asks and never accepts, because it cannot write its row down,
// keeps a run from nobody for long.
func TestR19AskedForAndNeverTaken(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	h.start("hello")
	for range 20 {
		h.offers(0)
		w.step(500 * time.Millisecond)
		if got := h.offers(3); len(got) == 1 {
			return
		}
	}
	t.Error("ten seconds later it was shown to nobody else")
}

// Where many were offered runs, the next waits until they have taken them, but
// not for those who do not come (R19).
func TestR19NobodyWaitsForThoseWhoDoNotTake(t *testing.T) {
	t.Parallel()
	h := newHouseAt(t, manifest, time.Now)
	const many = 40
	for range many {
		h.start("hello")
	}
	var shown atomic.Int64
	var asking sync.WaitGroup
	for i := range many {
		asking.Go(func() { shown.Add(int64(len(h.offers(i)))) })
	}
	asking.Wait()
	if n := shown.Load(); n != many {
		t.Errorf("%d of %d instances were offered a run", n, many)
	}
}

// Nor does one that has died, for as long as the clock was set back.
func TestR19ShownAndTheClockSetBack(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	h.start("hello")
	if got := h.offers(0); len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	w.step(-time.Hour)
	w.step(10 * time.Minute)
	if got := h.offers(3); len(got) != 1 {
		t.Error("ten minutes later it is still kept from the others")
	}
}

// What one process of Blaise has shown, and another was asked for, is forgotten:
// it would be looked behind for ever.
func TestR19ShownHereAndTakenElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	other := control.New(control.Options{DB: h.db, Secret: make([]byte, 32)})
	for i := range 3 {
		id := h.start("hello")
		if got := h.offers(i); len(got) != 1 || got[0].Session != id {
			t.Fatalf("shown %+v, want the run of %s", got, id)
		}
		_, err := other.Accept(t.Context(), h.runner, id.Run(1), control.Accept{
			Instance: blaise.InstanceID(fmt.Sprint("i", i)), Machine: "m1", Boot: "b", Nonce: fmt.Sprint(i),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := h.offers(0); len(got) > 0 || h.Shown() > 0 {
		t.Errorf("shown %+v, with %d remembered", got, h.Shown())
	}
}

// Hundreds of runs that wait for a runner which is not there keep no other from
// work.
func TestA31NobodyStarvesBehindRunsForOthers(t *testing.T) {
	t.Parallel()
	const needsMac = "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: mac}\nspec: {requirements: {os: mac}}\n"
	h := newHouse(t, needsMac)
	h.apply("apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: any}\n")
	for _, agent := range slices.Concat(slices.Repeat([]string{"mac"}, 201), []string{"any"}) {
		h.starts(agent)
	}
	if got := h.offers(1); len(got) != 1 || got[0].Agent != "any" {
		t.Errorf("a free instance is shown %+v, and one waits that it may take", got)
	}
}

// Nor do the lines of many agents that nobody may serve: one behind them all is
// offered.
func TestA31NobodyStarvesBehindLinesForOthers(t *testing.T) {
	t.Parallel()
	const agent = "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: mac%d}\nspec: {requirements: {os: mac}}\n"
	h := newHouse(t, fmt.Sprintf(agent, 0))
	for i := range 70 {
		h.apply(fmt.Sprintf(agent, i))
		h.starts(fmt.Sprintf("mac%d", i))
	}
	h.apply("apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: zoo}\n")
	h.starts("zoo")
	if got := h.offers(1); len(got) != 1 || got[0].Agent != "zoo" {
		t.Errorf("a free instance is shown %+v, and one waits that it may take", got)
	}
}

func (h *house) starts(agent string) blaise.SessionID {
	h.t.Helper()
	m, err := h.Start(h.t.Context(), "ann", control.Start{Agent: blaise.AgentName(agent), Text: "hello"})
	if err != nil {
		h.t.Fatal(err)
	}
	return m.ID.Session()
}

func (h *house) offers(i int) []store.Offer {
	h.t.Helper()
	in := store.Instance{ID: blaise.InstanceID(fmt.Sprint("i", i)), Machine: "m1"}
	got, err := h.Offers(h.t.Context(), control.Asker{Runner: h.runner, Instance: in, Slots: 1}, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

// Eight accept the same run at once: one has it (R18, P45).
func TestR18OneOfEightAcceptsWins(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("hello")
	var all sync.WaitGroup
	won := make(chan int, 8)
	for i := range 8 {
		all.Go(func() {
			_, err := h.Accept(t.Context(), h.runner, id.Run(1), control.Accept{
				Instance: blaise.InstanceID(fmt.Sprint("i", i)), Machine: "m1", Boot: "b", Nonce: fmt.Sprint(i),
			})
			switch {
			case err == nil:
				won <- i
			case blaise.CodeOf(err) != blaise.CodeRefused:
				t.Errorf("accept %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Errorf("%d of 8 accepts won", len(won))
	}
}

// A resume is for the last instance first, which has what is warm; another one of
// the machine may take it when that has not come for it (A31).
func TestA31TheLastInstanceGoesFirst(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	id := h.paused() // by instance i1
	if _, err := h.Post(t.Context(), "ann", id, control.Post{Text: "again"}); err != nil {
		t.Fatal(err)
	}
	if got := h.offers(2); len(got) > 0 {
		t.Errorf("another instance was shown it first: %+v", got)
	}
	if got := h.offers(1); len(got) != 1 {
		t.Errorf("the last instance was not shown it: %+v", got)
	}
	w.step(10e9)
	if got := h.offers(2); len(got) != 1 {
		t.Errorf("another instance is kept from it for good: %+v", got)
	}
}
