package control_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// A run that waits though its agent has a place free says what it lacks, and why
// comes first of what is said of it (X7).
func TestStanding_SaysWhatARunLacks(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, twoAtOnce, w.now)
	id := h.start("hello")
	h.lacks(id, blaise.LacksRunner, "no runner matches: no runner has connected")
	h.here("i1", 1, nil)
	h.lacks(id, "", "it is the 1st of 1 for agent demo: 0 of 2 runs are at work")
	if err := h.Goodbye(t.Context(), h.runner, "i1", ""); err != nil {
		t.Fatal(err)
	}
	h.lacks(id, blaise.LacksRunner, "runner laptop on box may take it, but was stopped at ")
	h.here("i1", 1, nil)
	w.step(control.OnlineWithin + time.Second)
	h.lacks(id, blaise.LacksRunner, "runner laptop on box may take it, but was last heard ")
	h.here("i1", 1, nil)
	if err := h.accept(1, h.start("takes the slot").Run(1)); err != nil {
		t.Fatal(err)
	}
	h.lacks(id, blaise.LacksSlot, "runner laptop on box may take it, but all its slots (1) are taken")
	h.apply(strings.Replace(twoAtOnce, "{concurrency: 2}", "{requirements: {gpu: a100}}", 1))
	h.lacks(id, blaise.LacksRunner, "no runner matches: agent demo requires the labels gpu=a100")
	h.here("i2", 1, map[string]string{"gpu": "a100"})
	h.lacks(id, "", "it is the 1st of 1 for agent demo")
}

// lacks wants both the page's and the list's word, and how why begins.
func (h *house) lacks(id blaise.SessionID, want blaise.Lack, first string) {
	h.t.Helper()
	one, err := h.Standing(h.t.Context(), id)
	if err != nil || one == nil || one.Lacks != want {
		h.t.Errorf("session %s stands %+v (%v), want lacks %q", id, one, err, want)
	}
	all, err := h.Standings(h.t.Context(), "demo")
	if err != nil || len(all) != 1 || all[0].Lacks != want {
		h.t.Errorf("those that wait stand %+v (%v), want one that lacks %q", all, err, want)
	}
	crowds, err := h.Crowds(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	none := 0
	if want == blaise.LacksRunner {
		none = 1
	}
	if n, err := h.Lacking(h.t.Context(), "demo", crowds["demo"]); n != none || err != nil {
		h.t.Errorf("%d lack a runner (%v), want %d", n, err, none)
	}
	if lines, err := h.Why(h.t.Context(), string(id)); err != nil || !strings.HasPrefix(lines[0], first) {
		h.t.Errorf("why begins %q (%v), want %q", lines, err, first)
	}
}
