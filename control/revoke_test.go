package control_test

import (
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
	h.goes(idle, first)
	if h.revoked() {
		t.Fatal("revoked while a run lives")
	}
	h.whyRunner("revoked when its last run has ended, asked by ann")
	h.report(second, blaise.Event{Kind: blaise.EventTurnEnded, Message: busy.Message(1), Result: blaise.MessageAnswered})
	h.goes(busy, second)
	if !h.revoked() {
		t.Fatal("not revoked with its last run")
	}
	h.want(busy, blaise.SessionPaused, blaise.EnvPaused) // told after the commit, or at the next start
	h.reopen()
	h.clocks()
	h.until("the sessions are told", func() bool {
		_, a := h.state(idle)
		_, b := h.state(busy)
		return a == blaise.EnvLost && b == blaise.EnvLost
	})
}

func TestA31RevokeAfterDrainOfAnIdleRunnerIsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.paused()
	if err := h.RevokeAfterDrain(t.Context(), "ann", h.runner.ID, 0); err != nil {
		t.Fatal(err)
	}
	if !h.revoked() {
		t.Error("not revoked")
	}
	h.want(id, blaise.SessionPaused, blaise.EnvLost)
	err := h.RevokeAfterDrain(t.Context(), "ann", h.runner.ID, 0)
	if blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("again: %v", err)
	}
}

func (h *house) goes(id blaise.SessionID, run blaise.Run) {
	h.t.Helper()
	if v := h.confirm(run); v != blaise.VerdictGo {
		h.t.Fatalf("stop of %s: %s", run.ID, v)
	}
	if a := h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree}); a.Verdict != blaise.VerdictExit {
		h.t.Fatalf("pause of %s: %+v", run.ID, a)
	}
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
