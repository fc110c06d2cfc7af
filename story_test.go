package blaise_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

// A story is a session to which events happen one after the other.
type story struct {
	t    *testing.T
	now  time.Time
	s    blaise.Snapshot
	last blaise.Plan
	all  []blaise.Change
	done []blaise.Message // final ones
	gone []blaise.Run     // ended ones
	said []string         // notices
}

// begin is a session with one queued message, and a policy that f may change.
func begin(t *testing.T, f ...func(*blaise.Policy)) *story {
	t.Helper()
	p := blaise.DefaultPolicy()
	p.Revision = 3
	for _, change := range f {
		change(&p)
	}
	st := &story{t: t, now: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)}
	st.s = blaise.NewSnapshot(blaise.Session{ID: "abcd1234", Agent: "demo", CreatedAt: st.now}, p)
	st.do(blaise.Event{Kind: blaise.EventMessagePosted, By: "ann", Text: "first"})
	return st
}

func (st *story) do(e blaise.Event) blaise.Verdict {
	st.t.Helper()
	e = st.fill(e)
	plan, err := blaise.Decide(st.s, e)
	if err != nil {
		st.t.Fatalf("%s: %v", e.Kind, err)
	}
	st.last, st.s = plan, plan.Next
	st.all = append(st.all, plan.History...)
	st.done = append(st.done, plan.Ended.Messages...)
	st.gone = append(st.gone, plan.Ended.Runs...)
	for _, n := range plan.Notices {
		st.said = append(st.said, n.Text)
	}
	return plan.Verdict
}

// fill gives an event the time, and a run's the id of the run.
func (st *story) fill(e blaise.Event) blaise.Event {
	e.At = st.now
	if e.By == "" {
		e.By = "ann"
	}
	if e.Run == "" && st.s.Run != nil {
		e.Run = st.s.Run.ID
	}
	return e
}

// refuses wants an error of the code that contains the words.
func (st *story) refuses(e blaise.Event, code blaise.Code, words string) {
	st.t.Helper()
	plan, err := blaise.Decide(st.s, st.fill(e))
	if err == nil || blaise.CodeOf(err) != code || !strings.Contains(err.Error(), words) {
		st.t.Fatalf("%s: got %v (verdict %q), want %s with %q", e.Kind, err, plan.Verdict, code, words)
	}
}

func (st *story) event(kind blaise.EventKind) blaise.Verdict {
	st.t.Helper()
	return st.do(blaise.Event{Kind: kind})
}

func (st *story) post(text string) blaise.MessageID {
	st.t.Helper()
	st.do(blaise.Event{Kind: blaise.EventMessagePosted, Text: text})
	return st.s.Session.ID.Message(st.s.Session.Messages)
}

func (st *story) pass(d time.Duration) *story {
	st.now = st.now.Add(d)
	return st
}

var resumable = []blaise.PlugRecord{{ID: "src", Use: "worktree", Opened: true, Resumable: true}}

var transient = []blaise.PlugRecord{{ID: "box", Use: "sandbox", Opened: true, Why: "it lives in memory"}}

func (st *story) accept() {
	st.t.Helper()
	runner := st.s.Run.Runner
	if runner == "" {
		runner = "r1"
	}
	st.do(blaise.Event{Kind: blaise.EventRunAccepted, Runner: runner, Instance: "i1", Machine: "m1"})
}

func (st *story) connect() *story {
	st.t.Helper()
	st.accept()
	st.event(blaise.EventRunConnected)
	return st
}

// opens takes the offered run to an open environment.
func (st *story) opens(plugs ...blaise.PlugRecord) *story {
	st.t.Helper()
	if plugs == nil {
		plugs = resumable
	}
	st.connect()
	st.do(blaise.Event{Kind: blaise.EventOpened, Plugs: plugs})
	return st
}

func (st *story) claim() blaise.MessageID {
	st.t.Helper()
	for _, d := range st.s.Directives {
		if d.Kind == blaise.DirectivePrompt {
			st.do(blaise.Event{Kind: blaise.EventTurnClaimed, Message: d.Message})
			return d.Message
		}
	}
	st.t.Fatalf("no prompt to claim: %+v", st.s.Directives)
	return ""
}

func (st *story) ends(result blaise.MessageState) {
	st.t.Helper()
	st.do(blaise.Event{Kind: blaise.EventTurnEnded, Message: st.s.Run.Turn, Result: result})
}

// idles answers the first message: the run is alive, and nothing waits.
func (st *story) idles(plugs ...blaise.PlugRecord) *story {
	st.t.Helper()
	st.opens(plugs...)
	st.claim()
	st.ends(blaise.MessageAnswered)
	st.wants(blaise.EnvOpen, blaise.SessionIdle)
	return st
}

func (st *story) stop() *blaise.Directive {
	for i := range st.s.Directives {
		if st.s.Directives[i].Kind == blaise.DirectiveStop {
			return &st.s.Directives[i]
		}
	}
	return nil
}

// hears confirms the stop that is on its way.
func (st *story) hears() blaise.Verdict {
	st.t.Helper()
	d := st.stop()
	if d == nil {
		st.t.Fatalf("no stop is on its way: %+v", st.s.Directives)
	}
	return st.do(blaise.Event{Kind: blaise.EventStopReceived, Directive: d.N})
}

func (st *story) pauses(plugs ...blaise.PlugRecord) blaise.Verdict {
	st.t.Helper()
	return st.do(blaise.Event{Kind: blaise.EventPauseReported, Plugs: plugs, Clean: true})
}

// paused is a session that an idle stop has paused.
func (st *story) paused() *story {
	st.t.Helper()
	st.idles()
	st.fires(blaise.ClockIdle)
	st.hears()
	st.pauses(resumable...)
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	return st
}

func (st *story) clock(kind blaise.ClockKind) *blaise.Clock {
	for i := range st.s.Clocks {
		if st.s.Clocks[i].Kind == kind {
			return &st.s.Clocks[i]
		}
	}
	return nil
}

// fires lets the clock come due.
func (st *story) fires(kind blaise.ClockKind) {
	st.t.Helper()
	c := st.clock(kind)
	if c == nil {
		st.t.Fatalf("clock %s does not run: %+v", kind, st.s.Clocks)
	}
	if c.DueAt.After(st.now) {
		st.now = c.DueAt
	}
	if v := st.do(blaise.Event{Kind: blaise.EventClockFired, Clock: *c, By: "clock"}); v != blaise.VerdictDone {
		st.t.Fatalf("clock %s fired: %q", kind, v)
	}
}

func (st *story) wants(env blaise.EnvironmentState, session blaise.SessionState) {
	st.t.Helper()
	if st.s.Environment.State != env || st.s.Session.State != session {
		st.t.Fatalf("environment %s, session %s (%s); want %s, %s", st.s.Environment.State,
			st.s.Session.State, st.s.Session.Reason, env, session)
	}
}

func (st *story) offers(kind blaise.RunKind, runner blaise.RunnerID) {
	st.t.Helper()
	run := st.s.Run
	if run == nil || run.State != blaise.RunOffered || run.Kind != kind || run.Runner != runner {
		st.t.Fatalf("offered is %+v; want a %s for %q", run, kind, runner)
	}
}

func (st *story) wantsVerdict(got, want blaise.Verdict) {
	st.t.Helper()
	if got != want {
		st.t.Fatalf("verdict %q, want %q", got, want)
	}
}

func (st *story) outcome(want blaise.Outcome) {
	st.t.Helper()
	if st.s.Session.Outcome != want {
		st.t.Fatalf("outcome %q (%s), want %q", st.s.Session.Outcome, st.s.Session.Reason, want)
	}
}

// lastRun wants the run that ended last to have ended so.
func (st *story) lastRun(want blaise.RunOutcome) {
	st.t.Helper()
	if len(st.gone) == 0 || st.gone[len(st.gone)-1].Outcome != want {
		st.t.Fatalf("ended runs %+v; want the last %s", st.gone, want)
	}
}

// message wants the message, final or not, to be in the state.
func (st *story) message(id blaise.MessageID, want blaise.MessageState) blaise.Message {
	st.t.Helper()
	for _, m := range slices.Concat(st.done, st.s.Messages) {
		if m.ID == id {
			if m.State != want {
				st.t.Fatalf("message %s is %s (%s), want %s", id, m.State, m.Reason, want)
			}
			return m
		}
	}
	st.t.Fatalf("no message %s", id)
	return blaise.Message{}
}

// told wants a notice with the words.
func (st *story) told(words string) {
	st.t.Helper()
	if !strings.Contains(strings.Join(st.said, "\n"), words) {
		st.t.Fatalf("no notice says %q: %q", words, st.said)
	}
}

// recorded wants a line of history with the subject and the words.
func (st *story) recorded(subject, words string) {
	st.t.Helper()
	if !slices.ContainsFunc(st.all, func(c blaise.Change) bool {
		return c.Subject == subject && strings.Contains(c.To+" "+c.Reason+" "+c.Setting, words)
	}) {
		st.t.Fatalf("history of %s has no %q", subject, words)
	}
}
