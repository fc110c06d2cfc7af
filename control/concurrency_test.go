package control_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

const twoAtOnce = "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: demo}\nspec: {concurrency: 2}\n"

// asks is what an instance with so many free slots is offered now.
func (h *house) asks(i, slots int) []store.Offer {
	h.t.Helper()
	in := store.Instance{ID: blaise.InstanceID(fmt.Sprint("i", i)), Machine: "m1"}
	got, err := h.Offers(h.t.Context(), control.Asker{Runner: h.runner, Instance: in, Slots: slots}, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

func (h *house) accept(i int, run blaise.RunID) error {
	_, err := h.Accept(h.t.Context(), h.runner, run, control.Accept{
		Instance: blaise.InstanceID(fmt.Sprint("i", i)), Machine: "m1", Boot: "b", Nonce: fmt.Sprint(i),
	})
	return err
}

func (h *house) startAs(by string) blaise.SessionID {
	h.t.Helper()
	m, err := h.Start(h.t.Context(), by, control.Start{Agent: "demo", Text: "hello"})
	if err != nil {
		h.t.Fatal(err)
	}
	return m.ID.Session()
}

// Many instances of two processes of Blaise ask and accept at once, and try what
// they were never offered: no more runs are at work than the agent may have, and
// when some have ended as many others are.
func TestConcurrency_ManyInstancesNeverExceedIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t, twoAtOnce)
	other := &house{t: t, db: h.db, runner: h.runner, Control: control.New(control.Options{DB: h.db, Secret: make([]byte, 32)})}
	waiting := map[blaise.RunID]bool{}
	for i := range 12 {
		waiting[h.startAs(fmt.Sprint("p", i%3)).Run(1)] = true
	}
	for len(waiting) > 0 {
		var mu sync.Mutex
		var taken []blaise.RunID
		var taking sync.WaitGroup
		for i := range 8 {
			at := []*house{h, other}[i%2]
			taking.Go(func() {
				runs := at.asks(i, 2)
				for run := range waiting {
					runs = append(runs, store.Offer{Run: blaise.Run{ID: run}})
				}
				for _, o := range runs {
					if at.accept(i, o.Run.ID) == nil {
						mu.Lock()
						taken = append(taken, o.Run.ID)
						mu.Unlock()
					}
				}
			})
		}
		taking.Wait()
		slices.Sort(taken)
		taken = slices.Compact(taken) // the same instance is given its run again
		if len(taken) != 2 {
			t.Fatalf("%d runs at work, want 2", len(taken))
		}
		for _, run := range taken {
			delete(waiting, run)
			if err := h.SpawnFailed(t.Context(), h.runner, run, "no"); err != nil {
				t.Fatal(err)
			}
			if err := h.act(blaise.EventEndAsked, run.Session()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Those who wait are served one person after the other, and say where they
// stand; a refused accept says why. Lowered, nothing is stopped; raised, those
// who ask are woken.
func TestConcurrency_PeopleInTurnAndChangesAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, strings.Replace(twoAtOnce, "2", "1", 1))
	var ann []blaise.SessionID
	for range 3 {
		ann = append(ann, h.startAs("ann"))
	}
	bob := h.startAs("bob")
	if got := h.asks(1, 9); len(got) != 1 || got[0].Session != ann[0] {
		t.Fatalf("offered %+v, want one run, of %s", got, ann[0])
	}
	if err := h.accept(1, ann[0].Run(1)); err != nil {
		t.Fatal(err)
	}
	if got := h.asks(2, 9); len(got) > 0 {
		t.Errorf("offered %+v beside the one at work", got)
	}
	var refused *blaise.Error
	if err := h.accept(2, bob.Run(1)); !errors.As(err, &refused) || refused.Code != blaise.CodeRefused ||
		!strings.Contains(refused.Message, "agent demo has 1 run at work, and may have 1") {
		t.Errorf("accepted beside it: %v", err)
	}
	h.stands("1st of 3 for agent demo: 1 of 1 run is at work", bob)
	h.stands("3rd of 3 for agent demo: 1 of 1 run is at work", ann[2])

	woken := make(chan []store.Offer)
	go func() {
		got, _ := h.Offers(t.Context(), control.Asker{
			Runner: h.runner, Instance: store.Instance{ID: "i3", Machine: "m1"}, Slots: 1,
		}, 20*time.Second)
		woken <- got
	}()
	h.apply(twoAtOnce)
	if got := <-woken; len(got) != 1 || got[0].Session != bob {
		t.Errorf("raised, who asked is offered %+v, want the run of %s", got, bob)
	}
	if err := h.accept(3, bob.Run(1)); err != nil {
		t.Fatal(err)
	}
	h.apply(strings.Replace(twoAtOnce, "2", "1", 1))
	h.stands("1st of 2 for agent demo: 2 of 1 run is at work", ann[1])
	want := store.Crowd{AtWork: 2, Waiting: 2, Limit: 1}
	if all, err := h.Crowds(t.Context()); err != nil || all["demo"] != want {
		t.Errorf("lowered, there are %+v (%v), want %+v", all, err, want)
	}
	h.explains(string(ann[1]), "it waits for a run of the agent to end, the 1st of 2 for agent demo: 2 of 1 run is at work, "+
		"from concurrency = 1 (agent demo, revision 3; set by test in revision 3)")
}

func (h *house) stands(want string, id blaise.SessionID) {
	h.t.Helper()
	s, err := h.Standing(h.t.Context(), id)
	if err != nil || s == nil || s.String() != want {
		h.t.Errorf("session %s stands %v (%v), want %s", id, s, err, want)
	}
}

// explains looks for a line in what why says.
func (h *house) explains(id, line string) {
	h.t.Helper()
	lines, err := h.Why(h.t.Context(), id)
	if err != nil || !slices.Contains(lines, line) {
		h.t.Errorf("why %s: %q (%v)\nhas not %q", id, lines, err, line)
	}
}

// A dry run says what another limit means for the runs there are.
func TestConcurrency_DryRunSaysWhatChanges(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	for i := range 5 {
		id := h.startAs("ann")
		if i < 3 {
			if err := h.accept(i, id.Run(1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ limit, want string }{
		{"2", "concurrency off -> 2: 3 runs at work, 2 waiting; none is stopped, and none begins until fewer than 2 are"},
		{"4", "concurrency off -> 4: 3 runs at work, 2 waiting; 1 of those that wait may begin"},
	} {
		m, err := control.ParseManifest([]byte(strings.Replace(twoAtOnce, "2", c.limit, 1)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.ApplyAgent(t.Context(), "test", m, true)
		if err != nil || !slices.Contains(a.Effects, c.want) {
			t.Errorf("effects %q (%v), want %q", a.Effects, err, c.want)
		}
	}
}
