package blaise

import "slices"

// Decide says what an event means for a session: a plan to write down whole,
// or an error, and then nothing has changed. It never changes s.
//
// A person's wish that the state does not allow is CodeRefused (or
// CodeNotFound, CodeInvalid, CodeUnreachable). A report of a run that is not
// the live one is CodeStale, except for last words, which a run may repeat:
// they are recorded as ignored and answered with VerdictExit (A21).
func Decide(s Snapshot, e Event) (Plan, error) {
	r, ok := rules[e.Kind]
	if !ok {
		return Plan{}, Errorf(CodeInvalid, "unknown event %q", e.Kind)
	}
	d := &decision{e: e, next: s.clone()}
	if r.from != fromOthers {
		if done, err := d.fromRun(r.from); done || err != nil {
			return d.plan(), err
		}
	}
	if err := r.do(d); err != nil {
		return Plan{}, err
	}
	if !d.unchanged {
		d.settle()
	}
	plan := d.plan()
	plan.News = newsOf(s, plan, e.At)
	return plan, nil
}

// A decision is a plan in the making: next is changed in place, and every
// change of state is noted.
type decision struct {
	e         Event
	next      Snapshot
	out       Plan
	setting   string // of the clock that fired
	unchanged bool   // the event changed nothing: nothing is to be settled
}

// A rule is what one kind of event does, and who may bring it.
type rule struct {
	from source
	do   func(*decision) error
}

type source int

const (
	fromOthers source = iota // people, clocks, administrators
	fromLive                 // the live run; stale from any other
	fromEnding               // last words: from a finished run they are ignored
)

var rules = map[EventKind]rule{
	EventMessagePosted:    {fromOthers, (*decision).posted},
	EventMessageWithdrawn: {fromOthers, (*decision).withdrawn},
	EventEndAsked:         {fromOthers, (*decision).endAsked},
	EventPauseAsked:       {fromOthers, (*decision).pauseAsked},
	EventCancelAsked:      {fromOthers, (*decision).cancelAsked},
	EventRetryAsked:       {fromOthers, (*decision).retryAsked},
	EventTeardownRetry:    {fromOthers, (*decision).teardownRetry},
	EventMarkDestroyed:    {fromOthers, (*decision).markDestroyed},
	EventLostDeclared:     {fromOthers, (*decision).lostDeclared},
	EventQuestionAnswered: {fromOthers, (*decision).questionAnswered},
	EventHeld:             {fromOthers, (*decision).held},
	EventReleased:         {fromOthers, (*decision).released},
	EventPushed:           {fromOthers, (*decision).pushed},
	EventShellAsked:       {fromOthers, (*decision).shellAsked},
	EventShellClosed:      {fromOthers, (*decision).shellClosed},
	EventSettingsChosen:   {fromOthers, (*decision).settingsChosen},
	EventDiffAsked:        {fromOthers, (*decision).diffAsked},
	EventClockFired:       {fromOthers, (*decision).clockFired},
	EventOthersWait:       {fromOthers, (*decision).othersWait},
	EventOthersServed:     {fromOthers, (*decision).othersServed},
	EventClockSetBack:     {fromOthers, (*decision).clockSetBack},
	EventRunnerRevoked:    {fromOthers, (*decision).revoked},
	EventRunnerLeaves:     {fromOthers, (*decision).runnerLeaves},
	EventPolicyChanged:    {fromOthers, (*decision).policyChanged},
	EventRunAccepted:      {fromOthers, (*decision).accepted},
	EventRunBack:          {fromOthers, (*decision).runBack},
	EventDrainAsked:       {fromOthers, (*decision).drainAsked},

	EventRunConnected:     {fromLive, (*decision).connected},
	EventOpened:           {fromLive, (*decision).opened},
	EventPlugRecorded:     {fromLive, (*decision).plugRecorded},
	EventResourceIntended: {fromLive, (*decision).resourceIntended},
	EventResourceGone:     {fromLive, (*decision).resourceGone},
	EventWorkSaved:        {fromLive, (*decision).workSaved},
	EventConversation:     {fromLive, (*decision).conversation},
	EventTurnClaimed:      {fromLive, (*decision).turnClaimed},
	EventTurnEnded:        {fromLive, (*decision).turnEnded},
	EventProgress:         {fromLive, (*decision).progress},
	EventQuestionAsked:    {fromLive, (*decision).questionAsked},
	EventQuestionApplied:  {fromLive, (*decision).questionApplied},
	EventQuestionExpired:  {fromLive, (*decision).questionExpired},
	EventStopReceived:     {fromLive, (*decision).stopReceived},
	EventReceived:         {fromLive, (*decision).received},

	EventSpawnFailed:    {fromEnding, (*decision).spawnFailed},
	EventPauseReported:  {fromEnding, (*decision).pauseReported},
	EventDestroyed:      {fromEnding, (*decision).destroyed},
	EventTeardownFailed: {fromEnding, (*decision).teardownFailed},
	EventPlugFailed:     {fromEnding, (*decision).plugFailed},
	EventRunFailed:      {fromEnding, (*decision).runFailed},
	EventSignalled:      {fromEnding, (*decision).signalled},
	EventRefused:        {fromEnding, (*decision).refused},
	EventLostContact:    {fromEnding, (*decision).lostContact},
	EventLocalStop:      {fromEnding, (*decision).localStop},
	EventRunDead:        {fromEnding, (*decision).runDead},
}

// fromRun looks at who reports. It is done when the report is that of a run
// that has ended.
func (d *decision) fromRun(from source) (done bool, err error) {
	if run := d.next.live(); run != nil && run.ID == d.e.Run {
		if from == fromLive && run.State == RunAccepted && d.e.Kind != EventRunConnected {
			return true, Errorf(CodeRefused, "run %s has not connected yet", run.ID)
		}
		d.compared(run)
		return false, nil
	}
	if d.e.Run.Session() != d.next.Session.ID || d.e.Run.Fence() < 1 {
		return true, Errorf(CodeNotFound, "no run %q in session %s", d.e.Run, d.next.Session.ID)
	}
	if from == fromLive || d.fenced() {
		return true, Errorf(CodeStale, "run %s is not the live run of its session: stop now", d.e.Run)
	}
	d.lastWords()
	d.ignore("the run has ended")
	d.out.Verdict = VerdictExit
	return true, nil
}

// fenced says that the run was declared lost, and now reports what it would do
// next: it has no lease to do it under. The reports of its daemon, and what is
// done already, are only ignored.
func (d *decision) fenced() bool {
	last := d.next.Last
	if d.next.Run != nil && d.next.Run.ID == d.e.Run {
		return true // offered and never accepted
	}
	if last == nil || last.ID != d.e.Run || last.Outcome != RunLost {
		return false
	}
	switch d.e.Kind {
	case EventPauseReported, EventPlugFailed, EventRunFailed, EventSignalled:
		return true
	}
	return false
}

func (d *decision) plan() Plan {
	d.out.Next = d.next
	return d.out
}

// note writes a line of history.
func (d *decision) note(subject, from, to, reason string) {
	d.out.History = append(d.out.History, Change{
		Subject: subject, From: from, To: to, Event: string(d.e.Kind), Reason: reason,
		By: d.e.By, Setting: d.setting, At: d.e.At,
	})
}

// ignore records a report that the present state has no place for.
func (d *decision) ignore(why string) {
	state := string(d.next.Environment.State)
	d.note("run:"+string(d.e.Run), state, state, "ignored: "+why)
}

// notice adds a line to the transcript.
func (d *decision) notice(text string, data map[string]any) {
	d.out.Notices = append(d.out.Notices, Notice{Kind: "notice", Text: text, Data: data})
}

// same ends a decision that changes nothing.
func (d *decision) same(v Verdict) error {
	d.unchanged = true
	d.out.Verdict = v
	return nil
}

// move takes the environment to the state that the table gives. Where it has
// no row, that is recorded and nothing moves.
func (d *decision) move(on EnvironmentEvent, reason string) {
	env := &d.next.Environment
	to, ok := env.State.Next(on)
	if !ok {
		d.note("environment", string(env.State), string(env.State),
			"ignored: no row for "+string(on)+" in this state")
		return
	}
	d.note("environment", string(env.State), string(to), reason)
	if to == EnvTeardownWaiting && env.State != EnvTearingDown {
		env.Teardowns = 0 // a new series of tries (A19)
	}
	env.State = to
	d.drop(ClockHook)
	if slices.Contains(to.Clocks(), ClockHook) {
		d.arm(ClockHook, string(env.ID), d.e.At)
	}
}

// can says whether the table has a row.
func (d *decision) can(on EnvironmentEvent) bool {
	_, ok := d.next.Environment.State.Next(on)
	return ok
}

// clone copies what a decision may change.
func (s Snapshot) clone() Snapshot {
	if s.Run != nil {
		run := *s.Run
		s.Run = &run
	}
	if s.Last != nil {
		last := *s.Last
		s.Last = &last
	}
	s.Messages = slices.Clone(s.Messages)
	s.Questions = slices.Clone(s.Questions)
	s.Directives = slices.Clone(s.Directives)
	s.Clocks = slices.Clone(s.Clocks)
	s.Environment.Plugs = slices.Clone(s.Environment.Plugs)
	s.Environment.Resources = slices.Clone(s.Environment.Resources)
	return s
}
