package blaise

import "fmt"

// Waits is the reason why a message that is not final waits, in a sentence.
func (s *Snapshot) Waits(id MessageID) string {
	m := s.message(id)
	if m == nil {
		return "no such message waits"
	}
	if m.State == MessageInterrupted && !m.Resume {
		return "a person must say whether the agent goes on: blaise approve " + string(s.Session.ID)
	}
	switch first := s.first(); {
	case s.Session.Held:
		return "the session is held"
	case first == nil:
		return "a person must first say what becomes of the interrupted turn before it"
	case s.Run != nil && s.Run.Turn != "":
		return "the turn of message " + string(s.Run.Turn) + " comes first"
	case first != m:
		return "message " + string(first.ID) + " comes first"
	}
	return s.waitsFirst()
}

// waitsFirst is why the first message waits.
func (s *Snapshot) waitsFirst() string {
	id := string(s.Session.ID)
	switch {
	case s.Environment.State == EnvOrphaned:
		return "the environment is orphaned: blaise retry-teardown " + id
	case s.owesTeardown():
		return "the old environment is torn down first"
	case s.live() != nil && s.Run.State == RunAccepted:
		return "run " + string(s.Run.ID) + " connects"
	case s.live() != nil && s.Run.State == RunStopping:
		return "run " + string(s.Run.ID) + " stops; another follows"
	case s.live() != nil && s.Environment.State != EnvOpen:
		return "run " + string(s.Run.ID) + " opens the environment"
	case s.live() != nil && s.Run.Kind == RunShell:
		return "run " + string(s.Run.ID) + ", which is there for a shell, pauses first"
	case s.live() != nil:
		return "it is handed to run " + string(s.Run.ID)
	case s.Run != nil && s.Crowded:
		return "run " + string(s.Run.ID) + " waits for another of the agent to end"
	case s.Run != nil:
		return "run " + string(s.Run.ID) + " waits for a runner"
	case s.Policy.Archived:
		return fmt.Sprintf("its agent is archived %s: blaise agent enable %s",
			s.Policy.origin(s.Session.Agent, SettingState), s.Session.Agent)
	case s.Policy.Disabled:
		return fmt.Sprintf("its agent is disabled %s: blaise agent enable %s",
			s.Policy.origin(s.Session.Agent, SettingState), s.Session.Agent)
	case s.clock(ClockRetry) != nil:
		return "the next run is offered after a delay; at once with: blaise retry " + id
	case s.blocked() != "":
		return s.blocked() + ": " + WhatHelps(s.Session.ID, s.blocked())
	}
	return "a run is about to be offered"
}
