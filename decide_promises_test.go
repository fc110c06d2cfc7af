package blaise_test

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"blaise.dev/blaise"
)

// checkEnded: what is final stays final, and leaves the snapshot.
func (w *world) checkEnded(p blaise.Plan) {
	for _, m := range p.Ended.Messages {
		if was, ok := w.final[m.ID]; ok {
			w.t.Fatalf("message %s ended twice: %s, then %s", m.ID, was, m.State)
		}
		if !m.Final() {
			w.t.Fatalf("message %s left the snapshot as %s", m.ID, m.State)
		}
		w.final[m.ID] = m.State
	}
	for _, m := range p.Next.Messages {
		if _, ok := w.final[m.ID]; ok || m.Final() {
			w.t.Fatalf("message %s is final and still in the snapshot", m.ID)
		}
	}
	for _, r := range p.Ended.Runs {
		if r.State != blaise.RunEnded || r.Outcome == "" || r.EndedAt.IsZero() {
			w.t.Fatalf("run %s left the snapshot unended: %+v", r.ID, r)
		}
	}
	if w.s.Session.Outcome != "" && w.s.Session.Outcome != p.Next.Session.Outcome {
		w.t.Fatalf("outcome %s became %s", w.s.Session.Outcome, p.Next.Session.Outcome)
	}
}

// checkHistory: every change of state has its line.
func (w *world) checkHistory(p blaise.Plan) {
	has := func(subject, from, to string) {
		if from == to {
			return
		}
		if !slices.ContainsFunc(p.History, func(c blaise.Change) bool {
			return c.Subject == subject && (c.To == to || c.From == from)
		}) {
			w.t.Fatalf("no history of %s %s -> %s", subject, from, to)
		}
	}
	has("session", string(w.s.Session.State), string(p.Next.Session.State))
	if w.s.Environment.Generation == p.Next.Environment.Generation {
		has("environment", string(w.s.Environment.State), string(p.Next.Environment.State))
	}
	for _, m := range p.Next.Messages {
		for _, old := range w.s.Messages {
			if old.ID == m.ID {
				has("message:"+string(m.ID), string(old.State), string(m.State))
			}
		}
	}
	for _, dir := range p.Issue {
		if w.issued[dir.N] {
			w.t.Fatalf("directive %d issued twice", dir.N)
		}
		w.issued[dir.N] = true
	}
}

// checkSnapshot holds what must be true after any event.
func checkSnapshot(t *rapid.T, s blaise.Snapshot, now time.Time) {
	checkEnvironment(t, s)
	checkMessages(t, s, now)
	checkClocks(t, s)
	if s.Run != nil && s.Run.Final() {
		t.Fatalf("run %s has ended and is still the live run", s.Run.ID)
	}
	if s.Session.State == blaise.SessionEnded {
		if s.Session.Outcome == "" || s.Session.Reason == "" || s.Session.EndedAt.IsZero() {
			t.Fatalf("an ended session says not how: %+v", s.Session)
		}
		if len(s.Messages) > 0 {
			t.Fatalf("an ended session has an open message: %+v", s.Messages)
		}
	}
	stops, prompts := 0, 0
	for _, d := range s.Directives {
		if s.Run == nil || d.Run != s.Run.ID {
			t.Fatalf("directive %d is for nobody", d.N)
		}
		if d.Kind == blaise.DirectiveStop {
			stops++
		}
		if d.Kind == blaise.DirectivePrompt {
			prompts++
		}
	}
	if stops > 1 || prompts > 1 {
		t.Fatalf("%d stops, %d prompts at once", stops, prompts)
	}
}

func checkEnvironment(t *rapid.T, s blaise.Snapshot) {
	live := s.Run != nil && (s.Run.State == blaise.RunConnected || s.Run.State == blaise.RunStopping)
	switch s.Environment.State {
	case blaise.EnvCreating, blaise.EnvOpen, blaise.EnvPausing, blaise.EnvResuming, blaise.EnvTearingDown:
		if !live {
			t.Fatalf("environment %s without a run: %+v", s.Environment.State, s.Run)
		}
	default:
		if live {
			t.Fatalf("run %s is %s, its environment %s", s.Run.ID, s.Run.State, s.Environment.State)
		}
	}
	if s.Session.Held && s.Run != nil && s.Run.State == blaise.RunOffered {
		t.Fatalf("a held session offers run %s", s.Run.ID)
	}
	owed := s.Environment.State == blaise.EnvTeardownWaiting && s.Run == nil && !s.Session.Held
	if owed && !clockRuns(s, blaise.ClockTeardown) {
		t.Fatal("a teardown is owed, and neither offered nor timed")
	}
	ended := s.Session.State == blaise.SessionEnded
	kept := s.Environment.State == blaise.EnvPaused || s.Environment.State == blaise.EnvUnattended
	if ended && kept {
		t.Fatalf("an ended session keeps its environment %s", s.Environment.State)
	}
}

func checkMessages(t *rapid.T, s blaise.Snapshot, now time.Time) {
	for _, m := range s.Messages {
		if m.State == blaise.MessageDelivered {
			if s.Run == nil || s.Run.Turn != m.ID && s.Run.State == blaise.RunConnected {
				t.Fatalf("message %s is delivered to nobody", m.ID)
			}
			continue
		}
		if len(blaise.Why(s, now, nil)) == 0 || s.Waits(m.ID) == "" {
			t.Fatalf("message %s waits, and nobody says why", m.ID)
		}
		if strings.Contains(s.Waits(m.ID), "about to be offered") {
			t.Fatalf("message %s waits for a run that is not offered: %+v", m.ID, s)
		}
	}
	ready := s.Run != nil && s.Run.State == blaise.RunConnected && s.Run.Turn == "" &&
		s.Run.Kind != blaise.RunShell && s.Environment.State == blaise.EnvOpen && !s.Session.Held
	for _, d := range s.Directives {
		ready = ready && d.Kind != blaise.DirectiveStop
	}
	if !ready || s.Session.State == blaise.SessionParked {
		return
	}
	handed := func(m blaise.Message) bool { return m.Run == s.Run.ID }
	if len(s.Messages) > 0 && !slices.ContainsFunc(s.Messages, handed) {
		t.Fatalf("a run is ready, and none of the messages is handed to it: %+v", s.Messages)
	}
	if len(s.Messages) == 0 && !clockRuns(s, blaise.ClockIdle) {
		t.Fatal("the session is idle, and no clock says till when")
	}
}

func checkClocks(t *rapid.T, s blaise.Snapshot) {
	seen := map[string]bool{}
	for _, c := range s.Clocks {
		key := string(c.Kind) + "/" + c.Subject
		if seen[key] {
			t.Fatalf("clock %s runs twice", key)
		}
		seen[key] = true
		if c.Setting == "" || c.DueAt.IsZero() || c.Since.IsZero() {
			t.Fatalf("clock %s does not explain itself: %+v", key, c)
		}
	}
	if s.Run != nil && s.Run.State != blaise.RunOffered {
		if clockRuns(s, blaise.ClockLost) == clockRuns(s, blaise.ClockConnect) {
			t.Fatalf("run %s is %s and can stay for ever: %+v", s.Run.ID, s.Run.State, s.Clocks)
		}
	}
	kept := s.Environment.State == blaise.EnvPaused || s.Environment.State == blaise.EnvUnattended
	if kept && s.Run == nil && !clockRuns(s, blaise.ClockMaxPaused) && !clockRuns(s, blaise.ClockRetry) {
		t.Fatalf("environment %s can stay for ever", s.Environment.State)
	}
	working := s.Session.State == blaise.SessionWorking || s.Session.State == blaise.SessionParked
	if working && clockRuns(s, blaise.ClockIdle) {
		t.Fatal("the idle clock runs in a turn")
	}
	idle := s.Environment.State == blaise.EnvOpen && s.Run != nil && s.Run.State == blaise.RunConnected &&
		s.Run.Turn == "" && len(s.Messages) == 0 && !s.Session.Held
	parked := s.Session.State == blaise.SessionParked
	if idle && !parked && s.Session.State != blaise.SessionIdle && s.Session.State != blaise.SessionEnded {
		t.Fatalf("an open run without a message is %s, not idle", s.Session.State)
	}
	shell := s.Run != nil && s.Run.Kind == blaise.RunShell
	if shell && idle && s.Policy.Archived && len(s.Directives) == 0 {
		t.Fatal("a run for a shell of an archived agent is not told to stop")
	}
	if shell && clockRuns(s, blaise.ClockIdle) {
		t.Fatal("a person's shell is no idle session")
	}
	if idle && !parked && !shell && len(s.Directives) == 0 && s.Policy.IdleAfter > 0 && !clockRuns(s, blaise.ClockIdle) {
		t.Fatal("an idle session has no idle clock")
	}
	if parked && (clockRuns(s, blaise.ClockSilenceWarn) || clockRuns(s, blaise.ClockStalled)) {
		t.Fatal("a silence clock runs while a person is asked")
	}
}

func clockRuns(s blaise.Snapshot, kind blaise.ClockKind) bool {
	return slices.ContainsFunc(s.Clocks, func(c blaise.Clock) bool { return c.Kind == kind })
}
