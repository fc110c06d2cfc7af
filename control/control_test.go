package control_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/webhook"
)

// A house is a control plane on a store of its own, with one runner.
type house struct {
	*control.Control
	t      *testing.T
	dir    string // of the store
	db     *store.DB
	runner store.Runner
	n      int64  // the number of the last report
	reopen func() // ends the control plane and begins another on the same store
}

const manifest = `
apiVersion: blaise.dev/v1
kind: Agent
metadata: {name: demo}
spec: {}
`

func newHouse(t *testing.T, yml string) *house {
	t.Helper()
	return newHouseAt(t, yml, nil)
}

// newHouseAt is a house with a clock that the test sets.
func newHouseAt(t *testing.T, yml string, now func() time.Time) *house {
	t.Helper()
	h := &house{t: t}
	h.open(t.TempDir(), now)
	h.apply(yml)
	var err error
	h.runner, _, err = h.NewRunner(t.Context(), "test", "laptop", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// open begins a control plane on a folder.
func (h *house) open(dir string, now func() time.Time) {
	h.t.Helper()
	hub := control.NewHub()
	db, err := store.Open(h.t.Context(), "sqlite:"+dir, store.Options{Appended: hub.Appended})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { db.Close() })
	h.dir = dir
	h.db, h.Control = db, control.New(control.Options{
		DB: db, Secret: make([]byte, 32), Hub: hub, Now: now,
		Sender: &webhook.Sender{AllowPrivate: true}, URL: "https://blaise.example.org",
	})
	h.reopen = func() {
		h.t.Helper()
		if err := db.Close(); err != nil {
			h.t.Fatal(err)
		}
		h.open(dir, now)
	}
}

// clocks keeps the clocks until the test ends.
func (h *house) clocks() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	h.t.Cleanup(func() { cancel(); <-done })
}

func (h *house) apply(yml string) {
	h.t.Helper()
	m, err := control.ParseManifest([]byte(yml))
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.ApplyAgent(h.t.Context(), "test", m, false); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) start(text string) blaise.SessionID {
	h.t.Helper()
	m, err := h.Start(h.t.Context(), "ann", control.Start{Agent: "demo", Text: text})
	if err != nil {
		h.t.Fatal(err)
	}
	return m.ID.Session()
}

func (h *house) act(kind blaise.EventKind, id blaise.SessionID) error {
	return h.Act(h.t.Context(), id, blaise.Event{Kind: kind, By: "ann"})
}

// take waits for the session's run, accepts it and connects it.
func (h *house) take(id blaise.SessionID) blaise.Run {
	h.t.Helper()
	ctx := h.t.Context()
	offers, err := h.Offers(ctx, control.Asker{Runner: h.runner, Instance: store.Instance{ID: "i1", Machine: "m1"}, Slots: 9}, 10*time.Second)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, o := range offers {
		if o.Session != id {
			continue
		}
		l, err := h.Accept(ctx, h.runner, o.Run.ID, control.Accept{Instance: "i1", Machine: "m1", Boot: "b", Nonce: "n"})
		if err != nil {
			h.t.Fatal(err)
		}
		run, err := h.ByLease(ctx, l.Token)
		if err != nil {
			h.t.Fatal(err)
		}
		if _, err := h.Connect(ctx, run); err != nil {
			h.t.Fatal(err)
		}
		return run
	}
	h.t.Fatalf("no run of session %s among %d offers", id, len(offers))
	return blaise.Run{}
}

func (h *house) report(run blaise.Run, e blaise.Event) control.Answer {
	h.t.Helper()
	h.n++
	a, err := h.Report(h.t.Context(), run, control.Report{N: h.n, Event: e})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

var worktree = []blaise.PlugRecord{{ID: "src", Use: "worktree", Opened: true, Resumable: true, Reach: blaise.ReachHost, Machine: "m1"}}

// answer opens the environment if it is not, and answers one message.
func (h *house) answer(run blaise.Run, m blaise.MessageID) {
	h.t.Helper()
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	ds, _, err := h.Directives(h.t.Context(), run, 0, 10*time.Second)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(ds) != 1 || ds[0].Kind != blaise.DirectivePrompt || ds[0].Message != m {
		h.t.Fatalf("got directives %+v, want a prompt of %s", ds, m)
	}
	if _, err := h.Claim(h.t.Context(), run, m); err != nil {
		h.t.Fatal(err)
	}
	h.report(run, blaise.Event{Kind: blaise.EventTurnEnded, Message: m, Result: blaise.MessageAnswered, Text: "yes"})
}

// confirm waits for a stop and receives it.
func (h *house) confirm(run blaise.Run) blaise.Verdict {
	h.t.Helper()
	var after int64
	for {
		ds, void, err := h.Directives(h.t.Context(), run, after, 20*time.Second)
		if err != nil {
			h.t.Fatal(err)
		}
		if len(ds)+len(void) == 0 {
			h.t.Fatal("no stop came")
		}
		for _, n := range void {
			after = max(after, n)
		}
		for _, d := range ds {
			after = max(after, d.N)
			if d.Kind != blaise.DirectiveStop {
				continue
			}
			v, err := h.Received(h.t.Context(), run, d.N)
			if err != nil {
				h.t.Fatal(err)
			}
			return v
		}
	}
}

func (h *house) state(id blaise.SessionID) (blaise.SessionState, blaise.EnvironmentState) {
	h.t.Helper()
	v, err := h.View(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return v.Session.State, v.Environment.State
}

func (h *house) want(id blaise.SessionID, s blaise.SessionState, e blaise.EnvironmentState) {
	h.t.Helper()
	gs, ge := h.state(id)
	if gs != s || ge != e {
		h.t.Fatalf("got session %s, environment %s, want %s, %s", gs, ge, s, e)
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest+"  \n")
	h.apply(`{"apiVersion":"blaise.dev/v1","kind":"Agent","metadata":{"name":"demo"},"spec":{"policy":{"idle":{"after":"50ms"}}}}`)
	h.clocks()
	id := h.start("hello")
	h.want(id, blaise.SessionQueued, blaise.EnvNone)
	run := h.take(id)
	h.want(id, blaise.SessionQueued, blaise.EnvCreating)
	h.answer(run, id.Message(1))
	if v := h.confirm(run); v != blaise.VerdictGo {
		t.Fatalf("idle stop: got verdict %s, want go", v)
	}
	if a := h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree, Clean: true}); a.Verdict != blaise.VerdictExit {
		t.Fatalf("pause: got %+v, want exit", a)
	}
	h.want(id, blaise.SessionPaused, blaise.EnvPaused)
	if _, err := h.Post(t.Context(), "ann", id, control.Post{Text: "again", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	run = h.take(id)
	h.answer(run, id.Message(2))
	ended := make(chan error, 1)
	go func() { ended <- h.act(blaise.EventEndAsked, id) }()
	for h.confirm(run) != blaise.VerdictGo {
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	h.want(id, blaise.SessionEnded, blaise.EnvPausing)
	if a := h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree, Clean: true}); a.Verdict != blaise.VerdictTeardown {
		t.Fatalf("pause of an ended session: got %+v, want teardown", a)
	}
	h.report(run, blaise.Event{Kind: blaise.EventDestroyed})
	h.want(id, blaise.SessionEnded, blaise.EnvDestroyed)
}

func TestA17EndedWhilePausedIsTornDownByARun(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("hello")
	run := h.take(id)
	h.answer(run, id.Message(1))
	paused := make(chan error, 1)
	go func() { paused <- h.act(blaise.EventPauseAsked, id) }()
	h.confirm(run)
	if err := <-paused; err != nil {
		t.Fatal(err)
	}
	h.report(run, blaise.Event{Kind: blaise.EventPauseReported, Plugs: worktree, Clean: true})
	if err := h.act(blaise.EventEndAsked, id); err != nil {
		t.Fatal(err)
	}
	run = h.take(id)
	if run.Kind != blaise.RunTeardown {
		t.Fatalf("got a %s run, want teardown", run.Kind)
	}
	h.report(run, blaise.Event{Kind: blaise.EventDestroyed})
	h.want(id, blaise.SessionEnded, blaise.EnvDestroyed)
}

func TestA18AnEndThatNobodyReceivesChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	h.clocks()
	id := h.start("hello")
	run := h.take(id)
	h.answer(run, id.Message(1))
	err := h.act(blaise.EventEndAsked, id)
	if blaise.CodeOf(err) != blaise.CodeUnreachable {
		t.Fatalf("got %v, want unreachable", err)
	}
	h.want(id, blaise.SessionIdle, blaise.EnvOpen)
}

func TestX1TheSameKeyIsTheSameMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	one, err := h.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "hello", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "hello", Key: "k"})
	if err != nil || one.ID != two.ID {
		t.Fatalf("got %s, %v, want %s", two.ID, err, one.ID)
	}
	id := one.ID.Session()
	run := h.take(id)
	h.answer(run, one.ID)
	for range 2 {
		if m, err := h.Post(t.Context(), "ann", id, control.Post{Text: "again", Key: "k2"}); err != nil || m.N != 2 {
			t.Fatalf("got message %d, %v, want 2", m.N, err)
		}
	}
	_, err = h.Post(t.Context(), "ann", id, control.Post{Text: "other", Key: "k2"})
	if blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("the key with another text: got %v, want refused", err)
	}
}

func TestX2OneAcceptWins(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("hello")
	accept := control.Accept{Instance: "i1", Machine: "m1", Boot: "b", Nonce: "mine"}
	one, err := h.Accept(t.Context(), h.runner, id.Run(1), accept)
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.Accept(t.Context(), h.runner, id.Run(1), accept)
	if err != nil || two.Token != one.Token {
		t.Fatalf("the same nonce: got %v, want the same lease", err)
	}
	accept.Nonce = "other"
	if _, err := h.Accept(t.Context(), h.runner, id.Run(1), accept); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Fatalf("another nonce: got %v, want refused", err)
	}
}

func TestA21AReportSentAgainGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("hello")
	run := h.take(id)
	r := control.Report{N: 1, Event: blaise.Event{Kind: blaise.EventRunFailed, Reason: "broken"}}
	one, err := h.Report(t.Context(), run, r)
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.Report(t.Context(), run, r)
	if err != nil || one != two {
		t.Fatalf("got %+v, %v, want %+v", two, err, one)
	}
	// Also where it would be answered otherwise by now.
	id = h.start("hello")
	run = h.take(id)
	claim := control.Report{N: 1, Event: blaise.Event{Kind: blaise.EventTurnClaimed, Message: id.Message(1)}}
	if one, err = h.Report(t.Context(), run, claim); err != nil || one.Code != blaise.CodeRefused {
		t.Fatalf("a claim before it is open: got %+v, %v", one, err)
	}
	h.n = 1
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if two, err = h.Report(t.Context(), run, claim); err != nil || one != two {
		t.Errorf("got %+v, %v, want %+v", two, err, one)
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	for name, yml := range map[string]string{
		"unknown key":    "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: a}\nspec: {polici: {}}",
		"bad duration":   "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: a}\nspec: {policy: {idle: {after: soon}}}",
		"bad choice":     "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: a}\nspec: {policy: {idle: {then: sleep}}}",
		"no name":        "apiVersion: blaise.dev/v1\nkind: Agent\nspec: {}",
		"another kind":   "apiVersion: blaise.dev/v1\nkind: Session\nmetadata: {name: a}\nspec: {}",
		"empty":          "",
		"not yet there":  "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: a}\nspec: {budget: {tokens: 5}}",
		"too few misses": "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: a}\nspec: {policy: {lease: {misses: 1}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := control.ParseManifest([]byte(yml)); blaise.CodeOf(err) != blaise.CodeInvalid {
				t.Errorf("got %v, want invalid", err)
			}
		})
	}
	m, err := control.ParseManifest([]byte(manifest))
	if err != nil || m.Policy.IdleAfter != 15*time.Minute {
		t.Errorf("spec {}: got %v, %v, want the defaults", m.Policy, err)
	}
}

func TestX7WhySaysWhoHasTheSlots(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	err := h.Hello(t.Context(), store.Instance{ID: "i1", Runner: h.runner.ID, Machine: "m1", Host: "desk", Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	first, second := h.start("one"), blaise.SessionID("")
	h.take(first)
	second = h.start("two")
	lines, err := h.Why(t.Context(), string(second))
	if err != nil {
		t.Fatal(err)
	}
	want := "all its slots (1) are taken, by sessions " + string(first)
	if all := strings.Join(lines, "\n"); !strings.Contains(all, want) {
		t.Errorf("got %s, want %q in it", all, want)
	}
}
