package control_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"
)

// A wall is a clock that a test sets.
type wall struct {
	mu sync.Mutex // guards at
	at time.Time
}

func newWall() *wall { return &wall{at: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)} }

func (w *wall) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *wall) step(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// pass lets time go by as the sweeper of a process that runs sees it.
func (h *house) pass(w *wall, d time.Duration) {
	for d > 0 {
		step := min(h.Look(h.t.Context()), d)
		w.step(step)
		d -= step
	}
	h.Look(h.t.Context())
}

// fired lists the clocks of a session that fired, in order.
func (h *house) fired(id blaise.SessionID) (kinds []string) {
	h.t.Helper()
	all, err := h.History(h.t.Context(), id, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range all {
		if kind, ok := strings.CutPrefix(c.Subject, "clock:"); ok && c.To == "fired" {
			kinds = append(kinds, kind)
			if c.Setting == "" {
				h.t.Errorf("clock %s fired from no setting", kind)
			}
		}
	}
	return kinds
}

func (h *house) wantFired(id blaise.SessionID, want ...string) {
	h.t.Helper()
	if got := h.fired(id); !slices.Equal(got, want) {
		h.t.Fatalf("fired %q, want %q", got, want)
	}
}

// idle is a session with a live run and no turn.
func (h *house) idle() (blaise.SessionID, blaise.Run) {
	h.t.Helper()
	id := h.start("hello")
	run := h.take(id)
	h.answer(run, id.Message(1))
	return id, run
}

func (h *house) paused() blaise.SessionID {
	h.t.Helper()
	id, run := h.idle()
	h.n++
	done := make(chan error, 1)
	go func() { done <- h.act(blaise.EventPauseAsked, id) }()
	h.confirm(run)
	if err := <-done; err != nil {
		h.t.Fatal(err)
	}
	h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree})
	h.want(id, blaise.SessionPaused, blaise.EnvPaused)
	return id
}

const hour = "{policy: {idle: {after: 20m}, maxPaused: 1h, silence: {warn: 30m, stalled: 40m}}}"

func withSpec(spec string) string { return strings.Replace(manifest, "spec: {}", "spec: "+spec, 1) }

// Blaise was down for hours: what fell due fires once, in order, after those who
// might have overtaken it could be heard (X2).
func TestX2RestartAfterHours(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, withSpec(hour), w.now)
	var ids []blaise.SessionID
	for range 3 {
		ids = append(ids, h.paused())
		h.pass(w, 5*time.Minute)
	}
	w.step(10 * time.Hour)
	h.reopen()
	h.Look(t.Context())
	for _, id := range ids {
		h.want(id, blaise.SessionPaused, blaise.EnvPaused)
	}
	if _, err := h.Post(t.Context(), "ann", ids[1], control.Post{Text: "wake up"}); err != nil {
		t.Fatal(err)
	}
	h.pass(w, 2*time.Minute)
	h.wantFired(ids[0], "max_paused")
	h.wantFired(ids[1])
	h.wantFired(ids[2], "max_paused")
	if a, b := h.ended(ids[0]), h.ended(ids[2]); !a.Before(b) {
		t.Errorf("ended at %s and %s, out of order", a, b)
	}
	h.want(ids[1], blaise.SessionQueued, blaise.EnvPaused)
	h.reopen()
	h.pass(w, 2*time.Minute)
	h.wantFired(ids[0], "max_paused")
}

func (h *house) ended(id blaise.SessionID) time.Time {
	h.t.Helper()
	v, err := h.View(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return v.Session.EndedAt
}

// A run is lost when a Blaise that was there has not heard it for as long as its
// lease says; never because Blaise was down (X2).
func TestX2NoRunIsLostBeforeBlaiseHasServedThatLong(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, withSpec(hour), w.now)
	silent, heard := h.start("one"), h.start("two")
	h.report(h.take(silent), blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	run := h.take(heard)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	for range 2 { // a second restart begins the count anew
		w.step(5 * time.Hour)
		h.reopen()
		h.pass(w, 20*time.Minute)
		h.wantFired(silent)
		if _, err := h.Beat(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	h.pass(w, 15*time.Minute)
	h.wantFired(silent)
	h.pass(w, 5*time.Minute)
	h.wantFired(heard)
	h.wantFired(silent, "lost")
}

// The machine of Blaise slept, or Blaise was frozen: no run is lost, no turn
// stalled, and what fell due waits until those who are there could be heard.
func TestX2TheMachineSlept(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, withSpec(hour), w.now)
	idle, run := h.idle()
	busy := h.start("work")
	working := h.take(busy)
	h.report(working, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), working, busy.Message(1)); err != nil {
		t.Fatal(err)
	}
	h.pass(w, time.Minute)
	w.step(9 * time.Hour)
	h.Look(t.Context())
	h.wantFired(idle)
	h.wantFired(busy)
	for _, r := range []blaise.Run{run, working} {
		if _, err := h.Beat(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	h.pass(w, 20*time.Minute)
	h.wantFired(busy)
	if got := h.fired(idle); got[0] != "idle" || slices.Contains(got, "lost") {
		t.Errorf("fired %q", got)
	}
	h.want(busy, blaise.SessionWorking, blaise.EnvOpen)
}

// A turn that goes on after Blaise had been away, and is silent then, is warned of
// as soon as any other (B5).
func TestX2SilentSomeTimeAfterBlaiseWasAway(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, withSpec(hour), w.now)
	id := h.start("work")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), run, id.Message(1)); err != nil {
		t.Fatal(err)
	}
	h.pass(w, time.Minute)
	w.step(9 * time.Hour)
	h.pass(w, time.Minute)
	line, err := json.Marshal(transcript.Event{N: 1, At: w.now(), Run: string(run.ID), Kind: "note"})
	if err == nil {
		err = h.Record(t.Context(), run, 1, [][]byte{line})
	}
	for range 35 { // minutes; the warning comes after 30, another clock after 40
		if err != nil {
			t.Fatal(err)
		}
		h.pass(w, time.Minute)
		_, err = h.Beat(t.Context(), run)
	}
	h.wantFired(id, "silence_warn")
}

// The clock is set in the middle of a look, between any two of its readings:
// nothing that is due by it fires before those concerned could be heard.
func TestTheClockIsSetDuringALook(t *testing.T) {
	t.Parallel()
	for reading := 1; reading <= 5; reading++ {
		w := newWall()
		readings := 10 // more than are counted
		h := newHouseAt(t, withSpec(hour), func() time.Time {
			if readings++; readings == reading {
				w.step(9 * time.Hour)
			}
			return w.now()
		})
		id, run := h.idle()
		h.pass(w, time.Minute)
		if _, err := h.Beat(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		readings = 0
		h.Look(t.Context())
		h.Look(t.Context())
		if got := h.fired(id); len(got) > 0 {
			t.Errorf("set at reading %d: fired %q", reading, got)
		}
	}
}

// The clock of the machine goes back: what runs begins anew, fires once, and a
// queued message is not kept from its runner.
func TestTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, notice := range map[string]func(h *house){
		"while Blaise serves":  func(h *house) {},
		"while Blaise is down": func(h *house) { h.reopen() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWall()
			h := newHouseAt(t, withSpec(hour), w.now)
			id, run := h.idle()
			h.pass(w, 5*time.Minute)
			queued := h.start("waits")
			w.step(-48 * time.Hour)
			notice(h)
			h.Look(t.Context())
			if r := h.take(queued); r.OfferedAt.After(w.now()) {
				t.Errorf("it was offered at %s: all that are offered from now on go before it", r.OfferedAt)
			}
			for range 38 { // 19 minutes
				h.pass(w, 30*time.Second)
				if _, err := h.Beat(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			h.wantFired(id)
			h.pass(w, time.Minute)
			h.confirm(run)
			h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree})
			w.step(48 * time.Hour) // set right again
			h.pass(w, 30*time.Second)
			h.wantFired(id, "idle")
			h.want(id, blaise.SessionPaused, blaise.EnvPaused)
		})
	}
}

// A hold gives its time back also when Blaise was away meanwhile (B11).
func TestB11AHoldOutlastsARestart(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, withSpec(hour), w.now)
	id := h.paused()
	h.pass(w, 50*time.Minute)
	if err := h.Act(t.Context(), id, blaise.Event{Kind: blaise.EventHeld, By: "ann"}); err != nil {
		t.Fatal(err)
	}
	w.step(72 * time.Hour)
	h.reopen()
	h.pass(w, 5*time.Minute)
	h.wantFired(id)
	if err := h.Act(t.Context(), id, blaise.Event{Kind: blaise.EventReleased, By: "ann"}); err != nil {
		t.Fatal(err)
	}
	h.pass(w, 9*time.Minute)
	h.wantFired(id)
	h.pass(w, 2*time.Minute)
	h.wantFired(id, "max_paused")
}

// An instance that was heard by a clock that was ahead does not count as online
// until that time comes again.
func TestAnInstanceIsNotOnlineInTheFuture(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	in := store.Instance{ID: "i1", Runner: h.runner.ID, Machine: "m1", Boot: "b", Slots: 1}
	if err := h.Hello(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.step(-time.Hour)
	if _, err := h.Heard(t.Context(), h.runner, "i1", "b"); err != nil {
		t.Fatal(err)
	}
	w.step(5 * time.Minute)
	all, err := h.Runners(t.Context())
	if err != nil || all[0].Instances[0].Online {
		t.Errorf("online: %+v, %v", all, err)
	}
}
