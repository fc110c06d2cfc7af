package control_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

func (h *house) revoked() bool {
	h.t.Helper()
	r, err := h.db.Runner(h.t.Context(), h.runner.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return r.Revoked
}

// Whoever sees that a runner is revoked sees that its leases are stale: it is
// one transaction (A31).
func TestA31RevokeMakesLeasesStaleInItsTransaction(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	var runs []blaise.Run
	for range 5 {
		_, run := h.idle()
		runs = append(runs, run)
	}
	seen := make(chan error, 1)
	go func() {
		for !h.revoked() {
			continue // as close behind the commit as can be
		}
		for _, run := range runs {
			now, err := h.RunOf(t.Context(), run.ID)
			if err == nil {
				_, err = h.Beat(t.Context(), now)
			}
			if blaise.CodeOf(err) != blaise.CodeStale {
				seen <- err
				return
			}
		}
		seen <- nil
	}()
	if err := h.RevokeRunner(t.Context(), "ann", h.runner.ID); err != nil {
		t.Fatal(err)
	}
	if err := <-seen; err != nil {
		t.Errorf("a lease of a revoked runner: %v", err)
	}
	h.want(runs[0].ID.Session(), blaise.SessionPaused, blaise.EnvLost)
}

// The gentle form: nothing more is offered, runs are stopped so that they can be
// resumed, and the token goes with the last of them (A31, X11).
func TestA31RevokeAfterDrain(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	idle, first := h.idle()
	busy := h.start("work")
	second := h.take(busy)
	h.report(second, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), second, busy.Message(1)); err != nil {
		t.Fatal(err)
	}
	if err := h.RevokeAfterDrain(t.Context(), "ann", h.runner.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	waits := h.start("not for this runner")
	h.takesNothing(waits)
	h.leavesFor(idle, first)
	if h.revoked() {
		t.Fatal("revoked while a run lives")
	}
	h.whyRunner("revoked when nothing is left there, asked by ann")
	h.report(second, blaise.Event{Kind: blaise.EventTurnEnded, Message: busy.Message(1), Result: blaise.MessageAnswered})
	h.leavesFor(busy, second)
	h.reopen() // Blaise died before it saw the runner off
	h.clocks()
	h.until("revoked with its last run", h.revoked)
	h.want(idle, blaise.SessionPaused, blaise.EnvDestroyed)
	h.want(busy, blaise.SessionPaused, blaise.EnvDestroyed)
}

// What sleeps at a runner that goes for good is taken down there before, so that
// its work is with Blaise; a message goes elsewhere (A31, X5).
func TestA31RevokeAfterDrainTakesDownWhatSleeps(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	h.clocks()
	id, ended, held := h.paused(), h.paused(), h.paused()
	if err := errors.Join(h.act(blaise.EventEndAsked, ended), h.act(blaise.EventHeld, held)); err != nil {
		t.Fatal(err)
	}
	if err := h.RevokeAfterDrain(t.Context(), "ann", h.runner.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	h.whyRunner("take down 2 environments before that")
	if _, err := h.Post(t.Context(), "ann", id, control.Post{Text: "go on", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	run, last := h.take(id), h.take(ended)
	if run.Kind != blaise.RunTeardown || !run.Leaves {
		t.Fatalf("got %+v, want a teardown by a runner that goes for good", run)
	}
	h.report(run, blaise.Event{Kind: blaise.EventDestroyed})
	h.takesNothing(id)
	if h.revoked() {
		t.Error("revoked while a teardown runs")
	}
	h.report(last, blaise.Event{Kind: blaise.EventDestroyed})
	h.whyRunner("what 1 held session there has waits until `blaise release ID`")
	if h.revoked() {
		t.Error("revoked while a held session has its environment there")
	}
	if err := h.act(blaise.EventReleased, held); err != nil {
		t.Fatal(err)
	}
	h.until("the released one is taken down", func() bool { _, e := h.state(held); return e == blaise.EnvTeardownWaiting })
	h.report(h.take(held), blaise.Event{Kind: blaise.EventDestroyed})
	h.until("revoked", h.revoked)
	v, err := h.View(t.Context(), id)
	if err != nil || len(v.Runs) == 0 {
		t.Fatal(v.Runs, err)
	}
	if run := v.Runs[len(v.Runs)-1]; run.Kind != blaise.RunStart || run.Runner != "" {
		t.Errorf("the message goes to %+v, want a start anywhere", run)
	}
}

func TestA31RevokeAfterDrainOfAnEmptyRunnerIsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	if err := h.RevokeAfterDrain(t.Context(), "ann", h.runner.ID, 0); err != nil {
		t.Fatal(err)
	}
	if !h.revoked() {
		t.Error("not revoked")
	}
	err := h.RevokeAfterDrain(t.Context(), "ann", h.runner.ID, 0)
	if blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("again: %v", err)
	}
}

// leavesFor stops a run at a runner that goes for good: it takes down what it
// worked in.
func (h *house) leavesFor(id blaise.SessionID, run blaise.Run) {
	h.t.Helper()
	if v := h.confirm(run); v != blaise.VerdictGo {
		h.t.Fatalf("stop of %s: %s", run.ID, v)
	}
	a := h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree, Clean: true})
	if a.Verdict != blaise.VerdictTeardown {
		h.t.Fatalf("pause of %s: %+v", run.ID, a)
	}
	h.report(run, blaise.Event{Kind: blaise.EventDestroyed})
}

func (h *house) takesNothing(id blaise.SessionID) {
	h.t.Helper()
	in := store.Instance{ID: "i2", Runner: h.runner.ID, Machine: "m1", Boot: "b", Slots: 9}
	if err := h.Hello(h.t.Context(), in); err != nil {
		h.t.Fatal(err)
	}
	got, err := h.Offers(h.t.Context(), control.Asker{Runner: h.runner, Instance: in, Slots: 9}, 0)
	if err != nil || len(got) > 0 {
		h.t.Errorf("offered %+v, %v", got, err)
	}
	_, err = h.Accept(h.t.Context(), h.runner, id.Run(1), control.Accept{Instance: "i2", Machine: "m1", Boot: "b", Nonce: "x"})
	if blaise.CodeOf(err) != blaise.CodeRefused {
		h.t.Errorf("accept: %v", err)
	}
}

func (h *house) whyRunner(words string) {
	h.t.Helper()
	lines, err := h.WhyRunner(h.t.Context(), "laptop")
	if all := strings.Join(lines, "\n"); err != nil || !strings.Contains(all, words) {
		h.t.Errorf("why laptop has no %q: %s, %v", words, all, err)
	}
}

func (h *house) until(what string, done func() bool) {
	h.t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("not within 20 s: %s", what)
		}
	}
}
