package blaise_test

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"blaise.dev/blaise"
)

// A world is a session that random events happen to.
type world struct {
	t      *rapid.T
	now    time.Time
	s      blaise.Snapshot
	final  map[blaise.MessageID]blaise.MessageState
	seen   map[blaise.EnvironmentState]bool
	ended  map[blaise.RunID]bool
	issued map[int64]bool

	stubborn bool // its teardowns fail
}

func TestDecideKeepsItsPromises(t *testing.T) {
	seen := map[blaise.EnvironmentState]bool{}
	for i := range 5 {
		t.Run(strconv.Itoa(i), rapid.MakeCheck(func(t *rapid.T) {
			w := newWorld(t, seen)
			steps := rapid.IntRange(1, 120).Draw(t, "steps")
			for range steps {
				w.step()
			}
		}))
	}
	for _, state := range blaise.EnvironmentStates() {
		if !seen[state] {
			t.Errorf("state %s was never reached", state)
		}
	}
}

func newWorld(t *rapid.T, seen map[blaise.EnvironmentState]bool) *world {
	w := &world{
		t: t, now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), seen: seen,
		final: map[blaise.MessageID]blaise.MessageState{}, ended: map[blaise.RunID]bool{},
		issued: map[int64]bool{},
	}
	w.stubborn = rapid.IntRange(0, 3).Draw(t, "stubborn") == 0
	w.s = blaise.NewSnapshot(blaise.Session{ID: "abcd1234", Agent: "demo", CreatedAt: w.now}, w.policy())
	w.apply(blaise.Event{Kind: blaise.EventMessagePosted, At: w.now, By: "ann", Text: "hello"})
	return w
}

func (w *world) policy() blaise.Policy {
	p := blaise.DefaultPolicy()
	reaction := []blaise.Reaction{blaise.ReactContinue, blaise.ReactAsk, blaise.ReactFail}
	p.OnInterruptedTurn = rapid.SampledFrom(reaction).Draw(w.t, "onInterrupted")
	pauseOrEnd := []blaise.Then{blaise.ThenPause, blaise.ThenEnd}
	p.IdleThen = rapid.SampledFrom(pauseOrEnd).Draw(w.t, "idleThen")
	p.IdleCannotResume = rapid.SampledFrom(pauseOrEnd).Draw(w.t, "cannotResume")
	p.QuestionsThen = rapid.SampledFrom([]blaise.Then{blaise.ThenDeny, blaise.ThenPause}).Draw(w.t, "questions")
	if rapid.Bool().Draw(w.t, "stalls") {
		p.SilenceStalled = 20 * time.Minute
	}
	if rapid.IntRange(0, 9).Draw(w.t, "expires") == 0 {
		p.ExpiresAfter = 20 * 24 * time.Hour
	}
	p.Disabled = rapid.IntRange(0, 19).Draw(w.t, "disabled") == 0
	p.Archived = rapid.IntRange(0, 29).Draw(w.t, "archived") == 0 && w.s.Session.Runs > 0
	return p
}

// step does what is likely to happen next, or anything at all.
func (w *world) step() {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 20).Draw(w.t, "seconds")) * time.Second)
	var e blaise.Event
	switch rapid.IntRange(0, 9).Draw(w.t, "which") {
	case 0, 1, 2, 3, 4:
		e = w.likely()
	case 5:
		e = w.clock()
	default:
		e = w.anything()
	}
	e.At = w.now
	w.apply(e)
	w.damaged(e)
}

// damaged wants a decision over rows that do not fit together to be no panic.
func (w *world) damaged(e blaise.Event) {
	s := deepCopy(w.s)
	switch rapid.IntRange(0, 4).Draw(w.t, "damage") {
	case 0:
		s.Run = nil
	case 1:
		s.Messages, s.Questions = nil, nil
	case 2:
		s.Environment.State = rapid.SampledFrom(blaise.EnvironmentStates()).Draw(w.t, "state")
	case 3:
		s.Environment = blaise.Environment{}
	case 4:
		s.Clocks, s.Directives = nil, nil
	}
	_, _ = blaise.Decide(s, e)
}

// likely is what a well-behaved run does next.
func (w *world) likely() blaise.Event {
	run := w.s.Run
	if run == nil && w.stubborn && clockRuns(w.s, blaise.ClockTeardown) {
		return w.clock()
	}
	if run == nil {
		return w.anything()
	}
	e := blaise.Event{Run: run.ID, By: "run", Clean: true, Plugs: w.plugs()}
	for _, d := range w.s.Directives {
		e.Directive = d.N
		if d.Kind == blaise.DirectiveStop {
			e.Kind = blaise.EventStopReceived
			return e
		}
	}
	env := w.s.Environment.State
	switch {
	case run.State == blaise.RunOffered:
		e.Kind, e.Runner, e.Instance, e.Machine = blaise.EventRunAccepted, run.Runner, "i1", "m1"
		if e.Runner == "" {
			e.Runner = "r1"
		}
	case run.State == blaise.RunAccepted:
		e.Kind = blaise.EventRunConnected
	case env == blaise.EnvTearingDown:
		e.Kind = blaise.EventDestroyed
		if w.stubborn {
			e.Kind = blaise.EventTeardownFailed
		}
	case env == blaise.EnvPausing:
		e.Kind = blaise.EventPauseReported
	case env == blaise.EnvCreating || env == blaise.EnvResuming:
		e.Kind = blaise.EventOpened
	case run.Turn != "":
		e.Kind, e.Message = blaise.EventTurnEnded, run.Turn
		e.Result = rapid.SampledFrom(results).Draw(w.t, "result")
	case len(w.s.Messages) > 0:
		e.Kind, e.Message = blaise.EventTurnClaimed, w.s.Messages[0].ID
	default:
		return w.anything()
	}
	return e
}

var results = []blaise.MessageState{
	blaise.MessageAnswered, blaise.MessageAnswered, blaise.MessageCancelled,
	blaise.MessageInterrupted, blaise.MessageFailed,
}

// clock fires the clock that is due first.
func (w *world) clock() blaise.Event {
	var first blaise.Clock
	for _, c := range w.s.Clocks {
		if first.Kind == "" || c.DueAt.Before(first.DueAt) {
			first = c
		}
	}
	if first.DueAt.After(w.now) && !w.s.Session.Held {
		w.now = first.DueAt
	}
	return blaise.Event{Kind: blaise.EventClockFired, Clock: first}
}

func (w *world) plugs() []blaise.PlugRecord {
	return []blaise.PlugRecord{{
		ID: "src", Use: "worktree", Opened: true, Why: "it is in memory",
		Resumable: rapid.IntRange(0, 3).Draw(w.t, "resumable") > 0,
	}}
}

var anyKind = []blaise.EventKind{
	blaise.EventMessagePosted, blaise.EventMessagePosted, blaise.EventMessageWithdrawn,
	blaise.EventEndAsked, blaise.EventPauseAsked, blaise.EventCancelAsked, blaise.EventRetryAsked,
	blaise.EventTeardownRetry, blaise.EventMarkDestroyed, blaise.EventLostDeclared,
	blaise.EventQuestionAnswered, blaise.EventHeld, blaise.EventReleased, blaise.EventReleased, blaise.EventPushed,
	blaise.EventShellAsked, blaise.EventShellClosed, blaise.EventDiffAsked,
	blaise.EventRunAccepted, blaise.EventSpawnFailed, blaise.EventRunConnected, blaise.EventOpened,
	blaise.EventPlugRecorded, blaise.EventResourceIntended, blaise.EventResourceGone,
	blaise.EventWorkSaved, blaise.EventConversation, blaise.EventTurnClaimed, blaise.EventTurnEnded,
	blaise.EventProgress, blaise.EventQuestionAsked, blaise.EventQuestionApplied,
	blaise.EventQuestionExpired, blaise.EventStopReceived, blaise.EventReceived,
	blaise.EventPauseReported, blaise.EventDestroyed, blaise.EventTeardownFailed,
	blaise.EventTeardownFailed, blaise.EventPlugFailed, blaise.EventRunFailed,
	blaise.EventSignalled, blaise.EventRefused, blaise.EventLostContact, blaise.EventRunDead,
	blaise.EventRunBack, blaise.EventRunBack, blaise.EventClockFired, blaise.EventRunnerRevoked, blaise.EventRunnerLeaves,
	blaise.EventPolicyChanged, "nonsense",
	blaise.EventDrainAsked, blaise.EventDrainAsked, blaise.EventLocalStop,
	blaise.EventOthersWait, blaise.EventOthersServed,
}

// anything is any event, with details that may or may not fit.
func (w *world) anything() blaise.Event {
	id := w.s.Session.ID
	e := blaise.Event{
		Kind: rapid.SampledFrom(anyKind).Draw(w.t, "kind"), By: "ann", Reason: "so it is",
		Text: "more", Now: rapid.Bool().Draw(w.t, "now"), Clean: rapid.Bool().Draw(w.t, "clean"),
		Run:       id.Run(max(0, w.s.Session.Runs-rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(w.t, "ago"))),
		Message:   id.Message(rapid.IntRange(0, w.s.Session.Messages+1).Draw(w.t, "m")),
		Question:  id.Question(rapid.IntRange(0, w.s.Session.Questions+1).Draw(w.t, "q")),
		Directive: int64(rapid.IntRange(0, int(w.s.Session.Directives)+1).Draw(w.t, "d")),
		Key:       rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(w.t, "key"),
		Choice:    rapid.SampledFrom([]string{"", "continue", "fail", "yes"}).Draw(w.t, "choice"),
		Runner:    rapid.SampledFrom([]blaise.RunnerID{"r1", "r1", "r2"}).Draw(w.t, "runner"),
		Instance:  "i1", Machine: "m1", Ephemeral: rapid.Bool().Draw(w.t, "ephemeral"), Leaves: rapid.IntRange(0, 9).Draw(w.t, "leaves") == 0,
		Until:  w.now.Add(time.Duration(rapid.IntRange(-1, 30).Draw(w.t, "until")) * time.Minute),
		Record: rapid.SampledFrom([]string{"", "complete", "incomplete: 1 of 2 events missing"}).Draw(w.t, "record"),
		Result: rapid.SampledFrom(results).Draw(w.t, "result"),
	}
	if rapid.IntRange(0, 9).Draw(w.t, "empty") == 0 {
		e.Text = ""
		return e
	}
	p := w.policy()
	e.Policy, e.Plugs = &p, w.plugs()
	e.Ask = &blaise.Question{Kind: "permission", Title: "May I?", Key: e.Key}
	e.Resource = &blaise.Resource{Plug: "src", Kind: "worktree", Name: "w", Where: "m1"}
	e.Saved = &blaise.SavedWork{Ref: "refs/blaise/x/1"}
	if len(w.s.Clocks) > 0 {
		e.Clock = rapid.SampledFrom(w.s.Clocks).Draw(w.t, "clock")
	}
	return e
}

// apply decides and checks every promise.
func (w *world) apply(e blaise.Event) {
	before, again := deepCopy(w.s), deepCopy(w.s)
	plan, err := blaise.Decide(w.s, e)
	if !reflect.DeepEqual(before, w.s) {
		w.t.Fatalf("%s changed its input", e.Kind)
	}
	if err != nil {
		if blaise.CodeOf(err) == blaise.CodeInternal {
			w.t.Fatalf("%s: %v", e.Kind, err)
		}
		return
	}
	if twice, _ := blaise.Decide(again, e); !reflect.DeepEqual(plan, twice) {
		w.t.Fatalf("%s decided twice is not the same", e.Kind)
	}
	w.t.Logf("%s -> %s, session %s, verdict %q", e.Kind, plan.Next.Environment.State,
		plan.Next.Session.State, plan.Verdict)
	w.checkEnded(plan)
	w.checkHistory(plan)
	w.s = plan.Next
	w.seen[w.s.Environment.State] = true
	checkSnapshot(w.t, w.s, w.now)
}

func deepCopy(s blaise.Snapshot) blaise.Snapshot {
	c := s
	if s.Run != nil {
		r := *s.Run
		c.Run = &r
	}
	if s.Last != nil {
		r := *s.Last
		c.Last = &r
	}
	c.Messages = append([]blaise.Message(nil), s.Messages...)
	c.Questions = append([]blaise.Question(nil), s.Questions...)
	c.Directives = append([]blaise.Directive(nil), s.Directives...)
	c.Clocks = append([]blaise.Clock(nil), s.Clocks...)
	c.Environment.Plugs = append([]blaise.PlugRecord(nil), s.Environment.Plugs...)
	c.Environment.Resources = append([]blaise.Resource(nil), s.Environment.Resources...)
	keepNil(&c, s)
	return c
}

// keepNil gives empty slices the emptiness of the original.
func keepNil(c *blaise.Snapshot, s blaise.Snapshot) {
	if len(s.Messages) == 0 {
		c.Messages = s.Messages
	}
	if len(s.Questions) == 0 {
		c.Questions = s.Questions
	}
	if len(s.Directives) == 0 {
		c.Directives = s.Directives
	}
	if len(s.Clocks) == 0 {
		c.Clocks = s.Clocks
	}
	if len(s.Environment.Plugs) == 0 {
		c.Environment.Plugs = s.Environment.Plugs
	}
	if len(s.Environment.Resources) == 0 {
		c.Environment.Resources = s.Environment.Resources
	}
}
