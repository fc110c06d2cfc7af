package control_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"

	"pgregory.net/rapid"
)

// An instance that says goodbye is not here from then on, and everybody is told
// since when; a call of its own that comes late does not bring it back, a hello
// does at once.
func TestAnInstanceThatSaysGoodbyeIsNotHere(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	h.here("i1", 1, nil)
	goodbye := func(boot string) error { return h.Goodbye(t.Context(), h.runner, "i1", boot) }
	if err := goodbye("another"); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("goodbye of a process whose place another one took: %v", err)
	}
	if !h.online("i1") {
		t.Error("it is not online after the goodbye of another process")
	}
	stopped := w.now()
	for range 2 {
		if err := goodbye(""); err != nil {
			t.Errorf("goodbye: %v", err)
		}
		w.step(3 * time.Second)
	}
	if h.online("i1") {
		t.Error("it is online after its goodbye")
	}
	if _, err := h.Heard(t.Context(), h.runner, "i1", ""); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("a late call: %v", err)
	}
	id := h.start("hello")
	words := "was stopped at " + stopped.Format("2006-01-02 15:04:05 MST") + ", 6s ago"
	for of, why := range map[string]func(context.Context, string) ([]string, error){string(id): h.Why, h.runner.Name: h.WhyRunner} {
		lines, err := why(t.Context(), of)
		if all := strings.Join(lines, "\n"); err != nil || !strings.Contains(all, words) {
			t.Errorf("why %s: %s, %v; want %q in it", of, all, err, words)
		}
	}
	f, err := h.Figures(t.Context())
	if err != nil || f.Instances[control.InstanceStopped] != 1 || f.Instances[control.InstanceOffline] != 0 || f.Slots != 0 {
		t.Errorf("figures: %+v, %v", f, err)
	}
	h.here("i1", 1, nil)
	if !h.online("i1") {
		t.Error("it is not online after its hello")
	}
}

// An instance of which a run lives has not stopped, whatever it says: the next
// process adopts the run (X3).
func TestX3_NoGoodbyeOverALiveRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	if err := h.Hello(t.Context(), store.Instance{ID: "i1", Runner: h.runner.ID, Machine: "m1", Slots: 1}); err != nil {
		t.Fatal(err)
	}
	h.take(h.start("hello"))
	if err := h.Goodbye(t.Context(), h.runner, "i1", ""); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("goodbye: %v", err)
	}
	if !h.online("i1") {
		t.Error("it is not online")
	}
}

// Whatever processes of an instance say, in whatever order and however late: it
// is online if the last hello is not answered by a goodbye of the same process,
// and somebody of it was heard a moment ago.
func TestAnInstanceIsOnlineAsItSaid(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	rapid.Check(t, func(r *rapid.T) {
		boots := rapid.SampledFrom([]string{"one", "two", "three"})
		boot, stopped, heard := "one", false, w.now() // the model
		hello := func() {
			in := store.Instance{ID: "i1", Runner: h.runner.ID, Machine: "m1", Boot: boot, Slots: 1}
			if err := h.Hello(t.Context(), in); err != nil {
				r.Fatal(err)
			}
		}
		hello()
		speaks := func(want bool, err error) {
			if known := err == nil; known != want || err != nil && blaise.CodeOf(err) != blaise.CodeNotFound {
				r.Fatalf("it was let in: %v (%v), want %v", known, err, want)
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"hello": func(r *rapid.T) {
				boot, stopped, heard = boots.Draw(r, "boot"), false, w.now()
				hello()
			},
			"asks": func(r *rapid.T) {
				b := boots.Draw(r, "boot")
				_, err := h.Heard(t.Context(), h.runner, "i1", b)
				speaks(b == boot && !stopped, err)
				if err == nil && w.now().Sub(heard) >= 10*time.Second { // noted that seldom
					heard = w.now()
				}
			},
			"goodbye": func(r *rapid.T) {
				b := boots.Draw(r, "boot")
				speaks(b == boot, h.Goodbye(t.Context(), h.runner, "i1", b))
				stopped = stopped || b == boot
			},
			"time": func(r *rapid.T) { w.step(time.Duration(rapid.IntRange(1, 90).Draw(r, "seconds")) * time.Second) },
			"": func(r *rapid.T) {
				want := !stopped && w.now().Sub(heard) < control.OnlineWithin
				if h.online("i1") != want {
					r.Fatalf("online is %v, want it %v", !want, want)
				}
			},
		})
	})
}

func (h *house) online(id blaise.InstanceID) bool {
	h.t.Helper()
	all, err := h.Runners(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range all {
		for _, in := range r.Instances {
			if in.ID == id {
				return in.Online
			}
		}
	}
	h.t.Fatalf("instance %s is not known", id)
	return false
}
