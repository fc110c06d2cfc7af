package blaise

import (
	"fmt"
	"time"
)

// Why says in plain words what a session waits for, and which clocks run: when
// each fires, from which setting, and what happens then (X7).
func Why(s Snapshot, now time.Time) []string {
	lines := []string{fmt.Sprintf("session %s is %s: %s",
		s.Session.ID, s.Session.State, s.Session.State.Meaning())}
	lines = append(lines, s.whyEnvironment()...)
	lines = append(lines, s.whyRun(now)...)
	lines = append(lines, s.whyMessages()...)
	for _, q := range s.Questions {
		if q.State == QuestionOpen {
			lines = append(lines, fmt.Sprintf("question %s waits for a person since %s: %s",
				q.ID, stamp(q.AskedAt), q.Title))
		}
	}
	for _, c := range s.Clocks {
		lines = append(lines, whyClock(c, s.Session.Held, now))
	}
	return lines
}

// WhyClocks says the same of the clocks of one run or question alone (X7).
func (s *Snapshot) WhyClocks(subject string, now time.Time) []string {
	var lines []string
	for _, c := range s.Clocks {
		if c.Subject == subject {
			lines = append(lines, whyClock(c, s.Session.Held, now))
		}
	}
	return lines
}

func (s *Snapshot) whyEnvironment() []string {
	env := s.Environment
	lines := []string{
		fmt.Sprintf("environment %s is %s: %s", env.ID, env.State, env.State.Meaning()),
	}
	if env.LastError != "" {
		lines = append(lines, "its last error: "+env.LastError)
	}
	if s.Session.Held {
		lines = append(lines, fmt.Sprintf("it is held since %s: every clock and every offer stands "+
			"still until: blaise release %s", stamp(s.Session.HeldSince), s.Session.ID))
	}
	if s.ended() {
		lines = append(lines, fmt.Sprintf("it ended %s at %s: %s",
			s.Session.Outcome, stamp(s.Session.EndedAt), s.Session.Reason))
		if s.Session.Outcome == OutcomeFailed {
			lines = append(lines, "its first message begins another with: blaise start --again "+string(s.Session.ID))
		}
	}
	if s.Session.Failures > 0 && !s.ended() {
		lines = append(lines, fmt.Sprintf("%s in a row lost or refused; at %d the session fails, and at once "+
			"if what it works in cannot be made", Count(s.Session.Failures, "run"), maxFailures))
	}
	return lines
}

func (s *Snapshot) whyRun(now time.Time) []string {
	run := s.Run
	if run == nil {
		return nil
	}
	lines := []string{
		fmt.Sprintf("run %s (%s) is %s: %s", run.ID, run.Kind, run.State, run.State.Meaning()),
	}
	if run.State == RunOffered {
		lines = append(lines, s.whyOffered())
	}
	if !run.UnreachableSince.IsZero() {
		lines = append(lines, fmt.Sprintf("it has not been heard since %s (%s)",
			stamp(run.UnreachableSince), now.Sub(run.UnreachableSince).Round(time.Second)))
	}
	if stop := s.stop(); stop != nil {
		lines = append(lines, fmt.Sprintf("a stop (%s) waits for the run's receipt since %s",
			stop.Stop.Reason, stamp(stop.IssuedAt)))
	}
	return lines
}

func (s *Snapshot) whyOffered() string {
	who := "any runner that matches the agent's requirements"
	if s.Run.Runner != "" {
		who = "runner " + string(s.Run.Runner) + ", which ran the session before"
	}
	if machine, ok := s.MachineFor(); ok {
		who += ", on machine " + string(machine) + ", where the environment is"
	}
	return fmt.Sprintf("it is offered since %s to %s", stamp(s.Run.OfferedAt), who)
}

func (s *Snapshot) whyMessages() []string {
	var lines []string
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.State == MessageDelivered {
			lines = append(lines,
				fmt.Sprintf("message %s is in its turn since %s", m.ID, stamp(m.DeliveredAt)))
			continue
		}
		lines = append(lines, fmt.Sprintf("message %s is %s: %s", m.ID, m.State, s.Waits(m.ID)))
	}
	return lines
}

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
	case s.Run != nil:
		return "run " + string(s.Run.ID) + " waits for a runner"
	case s.Policy.Archived:
		return "its agent is archived " + s.Policy.origin(s.Session.Agent, SettingState)
	case s.Policy.Disabled:
		return fmt.Sprintf("its agent is disabled %s: blaise agent enable %s",
			s.Policy.origin(s.Session.Agent, SettingState), s.Session.Agent)
	case s.clock(ClockRetry) != nil:
		return "the next run is offered after a delay; at once with: blaise retry " + id
	case s.blocked() != "":
		return s.blocked() + "; tried again at the next message, or with: blaise retry " + id
	}
	return "a run is about to be offered"
}

func whyClock(c Clock, held bool, now time.Time) string {
	if held {
		return fmt.Sprintf("clock %s stands still, %s before it fires (%s)",
			c.Kind, c.DueAt.Sub(c.Since).Round(time.Second), c.Setting)
	}
	return fmt.Sprintf("clock %s fires at %s (in %s), from %s: %s", c.Kind, stamp(c.DueAt),
		c.DueAt.Sub(now).Round(time.Second), c.Setting, c.Kind.Meaning())
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
