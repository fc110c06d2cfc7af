package blaise

import "cmp"

// turnClaimed commits that a message is delivered, before its bytes are
// written to the agent (X1).
func (d *decision) turnClaimed() error {
	s := &d.next
	run := s.Run
	if run.Turn == d.e.Message && run.Turn != "" {
		return d.same(VerdictGo) // the answer was lost
	}
	m := s.message(d.e.Message)
	switch {
	case m == nil || !m.deliverable():
		return Errorf(CodeRefused, "message %q does not wait for a turn", d.e.Message)
	case run.State != RunConnected || s.Environment.State != EnvOpen || s.ended():
		return Errorf(CodeRefused, "run %s takes no message: it is %s, its environment %s",
			run.ID, run.State, s.Environment.State)
	case s.Session.Held:
		return Errorf(CodeRefused, "session %s is held", s.Session.ID)
	case run.Turn != "":
		return Errorf(CodeRefused, "a turn is open: message %s", run.Turn)
	case m != s.first():
		return Errorf(CodeRefused, "message %s is not the next: %s", m.ID, s.Waits(m.ID))
	}
	d.voidPrompt(m.ID)
	if m.State == MessageInterrupted {
		m.Repeats++
	}
	d.setMessage(m, MessageDelivered, "")
	m.Run, m.Turn, m.DeliveredAt = run.ID, s.Session.Turns+1, d.e.At
	m.Resume, m.Now = false, false
	run.Turn, run.TurnSince = m.ID, d.e.At
	s.Environment.Clean = false
	d.armSilence()
	d.out.Verdict = VerdictGo
	return nil
}

// armSilence begins the watch over a turn anew (B5).
func (d *decision) armSilence() {
	run := d.next.live()
	if run == nil || run.Turn == "" {
		return
	}
	d.drop(ClockSilenceWarn)
	d.drop(ClockStalled)
	d.arm(ClockSilenceWarn, string(run.ID), d.e.At)
	d.arm(ClockStalled, string(run.ID), d.e.At)
}

// progress is any sign of life of a turn.
func (d *decision) progress() error {
	if !d.next.asked() {
		d.armSilence()
	}
	return nil
}

// turnEnded ends the open turn; the report of any other is a repetition.
func (d *decision) turnEnded() error {
	s := &d.next
	m := s.message(d.e.Message)
	d.out.Verdict = VerdictDone
	if m == nil || s.Run.Turn != m.ID || m.State != MessageDelivered {
		d.ignore("the turn has ended already")
		return nil
	}
	s.Run.Turn = ""
	stalled := m.Reason == stalledReason
	m.Stop = d.e.StopReason
	if d.e.Usage != nil {
		m.Usage = m.Usage.Plus(*d.e.Usage)
		s.Session.Usage = s.Session.Usage.Plus(*d.e.Usage)
	}
	if d.e.Text != "" {
		m.Answer = d.e.Text
	}
	switch d.e.Result {
	case MessageAnswered:
		s.Session.Turns++
		s.Session.Conversation.Turns++
		s.Session.Failures = 0
		m.Turn = s.Session.Turns
		d.setMessage(m, MessageAnswered, d.e.Reason)
	case MessageFailed:
		d.setMessage(m, MessageFailed, d.e.Reason)
	case MessageInterrupted:
		d.interrupt(m, d.e.Reason)
	default:
		if stalled {
			d.interrupt(m, stalledReason)
			return nil
		}
		d.setMessage(m, MessageCancelled, cmp.Or(d.e.Reason, m.Reason))
	}
	return nil
}

// stalledReason marks a turn that the silence watchdog has cancelled.
const stalledReason = "stalled"

// cancelTurn tells the run to cancel its turn, once.
func (d *decision) cancelTurn(reason string) {
	s := &d.next
	run := s.live()
	if run == nil || run.State != RunConnected || run.Turn == "" {
		return
	}
	if m := s.message(run.Turn); m != nil {
		m.Reason = reason
	}
	for _, dir := range s.Directives {
		if dir.Kind == DirectiveCancel && dir.Message == run.Turn {
			return
		}
	}
	d.issue(Directive{Kind: DirectiveCancel, Message: run.Turn, Reason: reason})
}

// QuestionInterrupted is the kind of question that Blaise itself asks about a
// turn that broke off, and its options.
const (
	QuestionInterrupted = "interrupted_turn"
	ChoiceContinue      = "continue"
	ChoiceFail          = "fail"
)

// interrupt does with a turn that broke off what policy.onInterruptedTurn says
// (A23, A24).
func (d *decision) interrupt(m *Message, reason string) {
	m.Run = ""
	switch d.next.Policy.OnInterruptedTurn {
	case ReactFail:
		d.setMessage(m, MessageFailed, reason)
	case ReactAsk:
		d.setMessage(m, MessageInterrupted, reason)
		m.Resume = false
		d.addQuestion(Question{
			Kind: QuestionInterrupted, Turn: m.ID, Key: string(m.ID),
			Title: "The turn broke off: " + reason + ". Shall the agent go on?",
			Options: []Option{
				{ID: ChoiceContinue, Name: "Go on", Kind: "allow_once"},
				{ID: ChoiceFail, Name: "Give the message up", Kind: "reject_once"},
			},
		})
	default:
		d.setMessage(m, MessageInterrupted, reason)
		m.Resume = true
	}
}
