package blaise

import "time"

// settle brings everything beside what the event moved into line with it:
// messages, questions, offers, prompts, clocks and the session's own state.
// All rules about what must follow from a state are here and nowhere else, so
// that no event can forget one.
func (d *decision) settle() {
	d.settleEnd()
	d.settleQuestions()
	d.settleStop()
	d.settleDrain()
	d.settleShell()
	d.settleOffer()
	d.settlePrompt()
	d.settleDirectives()
	d.sweep() // what is final counts no more
	d.settleClocks()
	d.settleState()
}

// settleEnd: an ended session has no open message, and tears down what it has.
func (d *decision) settleEnd() {
	s := &d.next
	if !s.ended() {
		return
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		switch {
		case m.State == MessageDelivered && s.Session.Outcome != OutcomeFailed:
			d.setMessage(m, MessageCancelled, ReasonSessionEnded)
		case !m.Final():
			d.setMessage(m, MessageFailed, ReasonSessionEnded)
		}
	}
	if s.Run != nil {
		s.Run.Turn = ""
	}
	s.Environment.Recreate = false
	if d.can(onEnded) && s.live() == nil {
		d.move(onEnded, s.Session.Reason)
	}
}

// settleQuestions: a question lives as long as the turn that asked it.
func (d *decision) settleQuestions() {
	for i := range d.next.Questions {
		q := &d.next.Questions[i]
		if q.State != QuestionOpen && q.State != QuestionAnswered || d.stillAsked(q) {
			continue
		}
		if q.State == QuestionAnswered {
			d.overtake(q) // stays answered, and leaves the snapshot in sweep
			continue
		}
		d.expire(q)
	}
}

func (d *decision) stillAsked(q *Question) bool {
	if q.Kind == QuestionInterrupted {
		m := d.next.message(q.Turn)
		return m != nil && m.State == MessageInterrupted && !m.Resume
	}
	run := d.next.live()
	return run != nil && run.State == RunConnected && q.Run == run.ID && q.Turn == run.Turn
}

// settleStop: a stop stands only while somebody wants it.
func (d *decision) settleStop() {
	stop := d.next.stop()
	if stop == nil {
		return
	}
	s := &d.next
	switch {
	case s.Environment.State == EnvTearingDown || s.live() == nil:
		d.void(stop.N, "the run goes down anyway")
	case stop.Stop.Clock == string(ClockIdle) && s.first() != nil && !s.Session.Held:
		d.void(stop.N, "overtaken by a message")
	}
}

// settleOffer: a run is offered when one is owed and none is alive; one that is
// offered and no longer owed is withdrawn.
func (d *decision) settleOffer() {
	s := &d.next
	if s.live() != nil {
		return
	}
	kind, why := d.owed()
	if s.Run != nil && (s.Run.Kind != kind || s.Run.Runner != s.pinned(kind)) {
		d.endRun(RunCancelled, "withdrawn: "+why)
	}
	if kind != "" && s.Run == nil {
		d.offer(kind, why)
	}
}

func (d *decision) offer(kind RunKind, why string) {
	s := &d.next
	s.Session.Runs++
	run := &Run{
		ID: s.Session.ID.Run(s.Session.Runs), Attempt: s.Session.Runs, Kind: kind,
		State: RunOffered, Runner: s.pinned(kind), OfferedAt: d.e.At,
	}
	s.Run = run
	d.note("run:"+string(run.ID), "", string(RunOffered), why)
}

// owed is the kind of run that the session needs now, "" for none, and why.
func (d *decision) owed() (RunKind, string) {
	s := &d.next
	env := s.Environment
	switch {
	case s.Session.Held:
		return "", "the session is held"
	case env.State == EnvTeardownWaiting && s.clock(ClockTeardown) != nil:
		return "", "the next try of the teardown waits"
	case env.State == EnvTeardownWaiting:
		return RunTeardown, "a teardown is owed"
	case s.ended():
		return "", "the session has ended"
	case s.first() == nil && !s.shellOwed():
		return "", "no message waits"
	case s.Policy.Disabled || s.Policy.Archived:
		return "", "the agent is disabled"
	case s.first() == nil:
		return RunShell, "a shell is asked for"
	case s.clock(ClockRetry) != nil:
		return "", "the next try waits"
	case s.blocked() != "":
		return "", s.blocked()
	}
	return s.kindForMessage(), "a message waits"
}

// kindForMessage is the run that answers a message, "" if none can.
func (s *Snapshot) kindForMessage() RunKind {
	switch s.Environment.State {
	case EnvNone, EnvDestroyed, EnvLost:
		return RunStart
	case EnvPaused:
		return RunResume
	case EnvUnattended:
		if s.Environment.EverOpen {
			return RunResume
		}
		return RunStart
	}
	return ""
}

// settlePrompt: the first message that waits is handed to a run that is ready
// for it, one at a time; a message of which a run has a prompt carries its id.
func (d *decision) settlePrompt() {
	s := &d.next
	first := s.first()
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.deliverable() && m.Run != "" && (m != first || s.live() == nil || m.Run != s.Run.ID) {
			m.Run = ""
			d.voidPrompt(m.ID)
		}
	}
	if first == nil || first.Run != "" || !d.ready() {
		return
	}
	first.Run = s.Run.ID
	p := Directive{
		Kind: DirectivePrompt, Message: first.ID, Text: first.Text, Attachments: first.Attachments,
		By: first.Author,
	}
	if first.State == MessageInterrupted {
		p.GoOn, p.Repeat = true, first.Repeats+1
	}
	d.issue(p)
}

// ready says that a run waits for a message.
func (d *decision) ready() bool {
	s := &d.next
	return s.Run != nil && s.Run.State == RunConnected && s.Run.Kind != RunShell &&
		s.Environment.State == EnvOpen && s.Run.Turn == "" && s.stop() == nil && !s.Session.Held && !s.ended()
}

// settleDirectives: nothing but a stop is told to a run that stops.
func (d *decision) settleDirectives() {
	run := d.next.live()
	for _, dir := range append([]Directive(nil), d.next.Directives...) {
		switch {
		case run == nil || run.ID != dir.Run:
			d.void(dir.N, "its run has ended")
		case run.State == RunStopping && dir.Kind != DirectiveStop:
			d.void(dir.N, "the run stops")
		case dir.Kind == DirectiveCancel && dir.Message != run.Turn:
			d.void(dir.N, "the turn has ended")
		}
	}
}

// settleState derives what the session is doing.
func (d *decision) settleState() {
	s := &d.next
	if state := sessionState(s); state != s.Session.State {
		d.note("session", string(s.Session.State), string(state), s.Session.Reason)
		s.Session.State = state
	}
	s.Session.Blocked = d.refusedLast()
	d.settleActive()
}

// refusedLast is why a person is needed before another run is offered, "" if none
// is.
func (d *decision) refusedLast() string {
	s := &d.next
	if s.Run != nil || s.ended() || s.Session.Held || s.owesTeardown() || s.clock(ClockRetry) != nil ||
		s.Policy.Disabled || s.Policy.Archived {
		return ""
	}
	return s.blocked()
}

// settleActive counts the time in turns; a turn that waits on a person, and one
// whose run nobody hears, cost nothing (B8).
func (d *decision) settleActive() {
	s := &d.next.Session
	working := s.State == SessionWorking
	switch {
	case working && s.ActiveSince.IsZero():
		s.ActiveSince = d.e.At
	case !working && !s.ActiveSince.IsZero():
		until := d.e.At
		for _, r := range d.out.Ended.Runs {
			if !r.UnreachableSince.IsZero() && r.UnreachableSince.Before(until) {
				until = r.UnreachableSince
			}
		}
		s.Active += max(0, until.Sub(s.ActiveSince))
		s.ActiveSince = time.Time{}
	}
}

// sweep takes the rows that became final out of the next snapshot.
func (d *decision) sweep() {
	s := &d.next
	messages := s.Messages[:0]
	for _, m := range s.Messages {
		if m.Final() {
			d.out.Ended.Messages = append(d.out.Ended.Messages, m)
			continue
		}
		messages = append(messages, m)
	}
	s.Messages = messages
	questions := s.Questions[:0]
	for _, q := range s.Questions {
		open := q.State == QuestionOpen || q.State == QuestionAnswered && d.stillAsked(&q)
		if !open {
			d.out.Ended.Questions = append(d.out.Ended.Questions, q)
			continue
		}
		questions = append(questions, q)
	}
	s.Questions = questions
}
