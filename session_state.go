package blaise

import (
	"fmt"
	"strings"
)

// sessionState derives what a session is doing from all that the snapshot
// holds. Nothing else sets it.
func sessionState(s *Snapshot) SessionState {
	switch {
	case s.ended():
		return SessionEnded
	case s.asked():
		return SessionParked
	case s.Run != nil && s.Run.Turn != "":
		return SessionWorking
	case s.starting(), s.open(), s.owesTeardown():
		return SessionQueued
	case s.Run != nil:
		return SessionIdle
	}
	return SessionPaused
}

// ended says that the session is over.
func (s *Snapshot) ended() bool { return s.Session.Outcome != "" }

// asked says that a person must answer before the session goes on.
func (s *Snapshot) asked() bool {
	for _, q := range s.Questions {
		if q.State == QuestionOpen {
			return true
		}
	}
	return false
}

// starting says that a run is on its way to an open environment.
func (s *Snapshot) starting() bool {
	if s.Run == nil {
		return false
	}
	switch s.Run.State {
	case RunOffered, RunAccepted:
		return true
	}
	return s.Environment.State == EnvCreating || s.Environment.State == EnvResuming
}

// open says that some message is not final.
func (s *Snapshot) open() bool { return len(s.Messages) > 0 }

// owesTeardown says that an environment must go before anything else can be.
func (s *Snapshot) owesTeardown() bool {
	return s.Environment.State == EnvTearingDown || s.Environment.State == EnvTeardownWaiting
}

// first is the message to be delivered next: those sent "now" before those
// that only wait. It is nil while a person must say what becomes of an
// interrupted turn, for messages are answered in order.
func (s *Snapshot) first() *Message {
	var first *Message
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.State == MessageInterrupted && !m.Resume {
			return nil
		}
		if !m.deliverable() {
			continue
		}
		if first == nil || m.Now && !first.Now {
			first = m
		}
	}
	return first
}

func (m *Message) deliverable() bool {
	return m.State == MessageQueued || m.State == MessageInterrupted && m.Resume
}

// blocked is why no run is offered for the messages that wait, "" if one may
// be: a refused run's reason stands on each until the next message or a retry.
func (s *Snapshot) blocked() string {
	reason := ""
	for _, m := range s.Messages {
		if !m.deliverable() {
			continue
		}
		if !m.refused() {
			return ""
		}
		reason = m.Reason
	}
	return reason
}

// These begin the reason of a message whose run was refused; the second where it
// was for what the session was begun with, and the same would be refused again.
const (
	refusedPrefix = "run refused: "
	chosenPrefix  = "run refused for what the session asks: "
)

// refused says that the message waits, for the run that was to take it was refused.
func (m *Message) refused() bool {
	return strings.HasPrefix(m.Reason, refusedPrefix) || strings.HasPrefix(m.Reason, chosenPrefix)
}

// WhatHelps says what a person can do for a message that waits for a reason: its
// run was refused.
func WhatHelps(id SessionID, reason string) string {
	if strings.HasPrefix(reason, chosenPrefix) {
		return fmt.Sprintf("`blaise start --again %s --set NAME=VALUE` begins anew with other inputs; once what it asks for "+
			"is there (the branch, say), or the runner's blaise.yml has changed: `blaise retry %s`", id, id)
	}
	return fmt.Sprintf("mend it, then `blaise retry %s`", id)
}

// live is the run if a runner has taken it, nil before and after.
func (s *Snapshot) live() *Run {
	if s.Run == nil || s.Run.State == RunOffered {
		return nil
	}
	return s.Run
}

// stop is the stop directive that the run has not received yet, nil if there
// is none.
func (s *Snapshot) stop() *Directive {
	for i := range s.Directives {
		if s.Directives[i].Kind == DirectiveStop {
			return &s.Directives[i]
		}
	}
	return nil
}

// clock is the row of that kind, nil if it does not run.
func (s *Snapshot) clock(kind ClockKind) *Clock {
	for i := range s.Clocks {
		if s.Clocks[i].Kind == kind {
			return &s.Clocks[i]
		}
	}
	return nil
}

// message finds a message that is not final.
func (s *Snapshot) message(id MessageID) *Message {
	for i := range s.Messages {
		if s.Messages[i].ID == id {
			return &s.Messages[i]
		}
	}
	return nil
}
