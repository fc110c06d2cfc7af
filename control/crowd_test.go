package control_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// idleClock is a session's idle clock, nil if it is not idle.
func (h *house) idleClock(id blaise.SessionID) *blaise.Clock {
	h.t.Helper()
	all, err := h.db.Clocks(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range all {
		if c.Kind == blaise.ClockIdle {
			return &c
		}
	}
	return nil
}

// idles begins a session and answers its message with a run that stays.
func (h *house) idles() blaise.SessionID {
	h.t.Helper()
	id := h.start("hello")
	h.answer(h.take(id), id.Message(1))
	return id
}

// here has an instance of the house's runner say hello.
func (h *house) here(id blaise.InstanceID, slots int, labels map[string]string) {
	h.t.Helper()
	in := store.Instance{ID: id, Runner: h.runner.ID, Machine: "m1", Host: "box", Slots: slots, Labels: labels}
	if err := h.Hello(h.t.Context(), in); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) crowd(want bool) {
	h.t.Helper()
	if waits, err := h.LookAtCrowd(h.t.Context()); err != nil || waits != want {
		h.t.Errorf("somebody waits: %v (%v), want %v", waits, err, want)
	}
}

// The session that is idle for longest pauses for who waits for its agent; no
// more of them than wait; and none when that one has gone.
func TestConcurrency_TheLongestIdlePausesForWhoWaits(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, twoAtOnce, w.now)
	h.here("i1", 9, nil)
	first := h.idles()
	w.step(time.Second)
	second := h.idles()
	h.crowd(false)
	waits := h.start("hello")
	h.crowd(true)
	if c := h.idleClock(first); !c.ForOthers() || !c.DueAt.Equal(c.Since.Add(time.Minute)) {
		t.Errorf("the longest idle has %+v", c)
	}
	if c := h.idleClock(second); c.ForOthers() {
		t.Errorf("the other one has %+v", c)
	}
	h.explains(string(waits), "at work for agent demo: sessions "+told(first, second, h))
	if err := h.act(blaise.EventEndAsked, waits); err != nil {
		t.Fatal(err)
	}
	h.crowd(false)
	if c := h.idleClock(first); c.ForOthers() {
		t.Errorf("nobody waits, and it has %+v", c)
	}
	h.start("hello")
	h.crowd(true)
	h.pass(w, time.Minute)
	h.Look(t.Context())
	h.here("i1", 9, nil)
	v, err := h.View(t.Context(), first)
	if err != nil || len(v.Directives) != 1 || v.Directives[0].Stop.Reason != "idle, and others wait" {
		t.Fatalf("told %+v (%v)", v.Directives, err)
	}
	h.crowd(true)
	if c := h.idleClock(second); c.ForOthers() {
		t.Errorf("one pauses already, and the other has %+v", c)
	}
}

// told names two idle sessions as why does, in the order of their ids.
func told(a, b blaise.SessionID, h *house) string {
	words := map[blaise.SessionID]string{a: string(a) + " (idle, stops in 59s)", b: string(b) + " (idle, stops in 15m0s)"}
	return words[min(a, b)] + ", " + words[max(a, b)]
}

// The same for the slots of a runner: where another instance has one free, or the
// run is only just offered, nobody is hurried.
func TestConcurrency_IdleGivesItsSlotToWhoWaits(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	h.here("i1", 1, nil)
	idle := h.idles()
	waits := h.start("hello")
	h.crowd(true)
	if c := h.idleClock(idle); c.ForOthers() {
		t.Errorf("hurried for one that was just offered: %+v", c)
	}
	w.step(5 * time.Second)
	h.crowd(true)
	if c := h.idleClock(idle); !c.ForOthers() || !strings.HasSuffix(c.Setting, "for who waits for a slot on box") {
		t.Errorf("its slot is waited for, and it has %+v", c)
	}
	h.explains(string(waits), "runner laptop on box may take it, but all its slots (1) are taken, by sessions "+
		string(idle)+" (idle, stops in 55s)")
	h.here("i2", 1, nil)
	h.crowd(true)
	if c := h.idleClock(idle); c.ForOthers() {
		t.Errorf("another has a slot free, and it has %+v", c)
	}
}

// Nobody pauses for runs that no instance which is here may take, however many
// of them wait; but for the one behind them.
func TestConcurrency_NobodyPausesForWhatNobodyMayTake(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, strings.Replace(twoAtOnce, "2", "1", 1), w.now)
	h.here("i1", 1, nil)
	idle := h.idles()
	hurried := func(want bool, why string) {
		t.Helper()
		h.crowd(true)
		if c := h.idleClock(idle); c.ForOthers() != want || want && !strings.HasSuffix(c.Setting, why) {
			t.Errorf("the idle one has %+v, want it to pause for others %v, %s", c, want, why)
		}
	}
	h.apply("apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: demo}\nspec: {concurrency: 1, requirements: {gpu: yes}}\n")
	h.start("hello")
	w.step(5 * time.Second)
	h.here("i1", 1, nil)
	hurried(false, "")
	h.here("i1", 1, map[string]string{"gpu": "yes"})
	hurried(true, "for who waits for agent demo")
	h.here("i1", 1, nil)
	hurried(false, "")
	for i := range 70 {
		h.apply(fmt.Sprintf("apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: mac%d}\nspec: {requirements: {os: mac}}\n", i))
		h.starts(fmt.Sprintf("mac%d", i))
	}
	w.step(5 * time.Second)
	h.here("i1", 1, nil)
	hurried(false, "")
	h.apply("apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: zoo}\n")
	h.starts("zoo")
	w.step(5 * time.Second)
	h.here("i1", 1, nil)
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until) && !h.idleClock(idle).ForOthers(); {
		h.crowd(true) // all that waits is read once each second
	}
	hurried(true, "for who waits for a slot on box")
}
