package blaise

import "strings"

// posted takes a message in (X1). The same key is the same message.
func (d *decision) posted() error {
	s := &d.next
	for _, m := range s.Messages {
		if d.e.Key != "" && m.Key == d.e.Key {
			return d.same(VerdictDone)
		}
	}
	if err := d.mayPost(); err != nil {
		return err
	}
	s.Session.Messages++
	m := Message{
		N: s.Session.Messages, ID: s.Session.ID.Message(s.Session.Messages), Author: d.e.By,
		Text: d.e.Text, Attachments: d.e.Attachments, State: MessageQueued, Now: d.e.Now, Key: d.e.Key, QueuedAt: d.e.At,
	}
	s.Messages = append(s.Messages, m)
	d.note("message:"+string(m.ID), "", string(MessageQueued), "")
	if m.Now && s.Run != nil && s.Run.Turn != "" {
		d.cancelTurn("interrupted for message " + string(m.ID))
	}
	d.out.Verdict = VerdictDone
	return nil
}

func (d *decision) mayPost() error {
	s := &d.next
	id := s.Session.ID
	switch {
	case strings.TrimSpace(d.e.Text) == "":
		return Errorf(CodeInvalid, "the message is empty")
	case s.ended():
		return Errorf(CodeRefused, "session %s has ended: %s", id, s.Session.Reason).
			WithHint("%s", GoOnHint(id, s.Session.Saves, s.Environment.State))
	case s.Environment.State == EnvOrphaned:
		return Errorf(CodeRefused, "the environment of session %s is orphaned: %s", id,
			s.Environment.LastError).WithHint("an admin must retry: blaise retry-teardown %s", id)
	case s.Policy.Archived:
		return Errorf(CodeRefused, "agent %s is archived", s.Session.Agent).
			WithHint("blaise agent enable %s", s.Session.Agent)
	}
	return nil
}

// withdrawn takes back a message that no run has claimed.
func (d *decision) withdrawn() error {
	m := d.next.message(d.e.Message)
	if m == nil {
		return Errorf(CodeNotFound, "no message %q waits in session %s", d.e.Message, d.next.Session.ID).
			WithHint("blaise show %s lists its messages", d.next.Session.ID)
	}
	if m.State == MessageDelivered {
		return Errorf(CodeRefused, "message %s is delivered already", m.ID).
			WithHint("blaise cancel %s", d.next.Session.ID)
	}
	d.voidPrompt(m.ID)
	d.setMessage(m, MessageWithdrawn, d.e.Reason)
	d.out.Verdict = VerdictDone
	return nil
}

// cancelAsked cancels the open turn.
func (d *decision) cancelAsked() error {
	run := d.next.live()
	if run == nil || run.Turn == "" {
		return Errorf(CodeRefused, "nothing to cancel: no turn is open in session %s", d.next.Session.ID).
			WithHint("a message that waits is taken back with: blaise withdraw %s MESSAGE", d.next.Session.ID)
	}
	if d.e.Message != "" && d.e.Message != run.Turn {
		return Errorf(CodeRefused, "turn %s is not open in session %s", d.e.Message, d.next.Session.ID)
	}
	reason := d.e.Reason
	if reason == "" {
		reason = "cancelled by " + d.e.By
	}
	d.cancelTurn(reason)
	d.out.Verdict = VerdictDone
	return nil
}

// retryAsked tries again what waits for a person's word or for a delay.
func (d *decision) retryAsked() error {
	s := &d.next
	if err := d.notHeld(); err != nil {
		return err
	}
	if s.clock(ClockRetry) == nil && s.blocked() == "" {
		return Errorf(CodeRefused, "nothing in session %s waits for a retry", s.Session.ID).
			WithHint("blaise why %s", s.Session.ID)
	}
	d.drop(ClockRetry)
	for i := range s.Messages {
		if m := &s.Messages[i]; m.refused() {
			m.Reason = ""
		}
	}
	d.out.Verdict = VerdictDone
	return nil
}

func (d *decision) notHeld() error {
	if !d.next.Session.Held {
		return nil
	}
	id := d.next.Session.ID
	return Errorf(CodeRefused, "session %s is held", id).WithHint("blaise release %s", id)
}

// pushed puts into the record that a person took the work elsewhere.
func (d *decision) pushed() error {
	if d.e.Reason == "" {
		return Errorf(CodeInvalid, "what was pushed, and where to?")
	}
	d.note("work", "saved", "pushed", d.e.Reason)
	d.notice(d.e.By+": "+d.e.Reason, nil)
	d.out.Verdict = VerdictDone
	return nil
}
