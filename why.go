package blaise

import (
	"fmt"
	"slices"
	"time"
)

// Why says in plain words what a session waits for, and which clocks run: when
// each fires, from which setting, and what happens then (X7). What holds it up
// comes first, then how it stands, and the clocks last. runners say who may take
// an offered run, and why they have not.
func Why(s Snapshot, now time.Time, runners []string) []string {
	var lines []string
	for _, section := range [][]string{
		s.whyHeld(), s.whyQuestions(), s.whyOffered(runners), s.whyTeardown(), s.whyEnded(), s.whyMessages(), s.whyAgent(),
		{fmt.Sprintf("session %s is %s: %s", s.Session.ID, s.Session.State, s.Session.State.Meaning())},
		s.whyEnvironment(), s.whyRun(now), s.WhyClocks(now, ""),
	} {
		lines = append(lines, section...)
	}
	return lines
}

// WhyClocks says which clocks run; only those of one run or question, if a
// subject is named (X7).
func (s *Snapshot) WhyClocks(now time.Time, subject string) []string {
	var lines []string
	for _, c := range s.Clocks {
		if subject == "" || c.Subject == subject {
			lines = append(lines, s.whyClock(c, now))
		}
	}
	return lines
}

func (s *Snapshot) whyHeld() []string {
	if !s.Session.Held {
		return nil
	}
	return []string{fmt.Sprintf("it is held since %s: every clock and every offer stands "+
		"still until: blaise release %s", stamp(s.Session.HeldSince), s.Session.ID)}
}

func (s *Snapshot) whyQuestions() []string {
	var lines []string
	for _, q := range s.Questions {
		if q.State == QuestionOpen {
			lines = append(lines, fmt.Sprintf("question %s waits for a person since %s: %s",
				q.ID, stamp(q.AskedAt), q.Title))
		}
	}
	return lines
}

// whyOffered says why a run that is offered was not taken, and to whom it is.
func (s *Snapshot) whyOffered(runners []string) []string {
	if s.Run == nil || s.Run.State != RunOffered {
		return nil
	}
	if s.Crowded {
		return runners // it is offered to nobody
	}
	who := "any runner that matches the agent's requirements"
	if s.Run.Runner != "" {
		who = "runner " + string(s.Run.Runner) + ", which ran the session before"
	}
	if machine, ok := s.MachineFor(); ok {
		who += ", on machine " + string(machine) + ", where the environment is"
	}
	return append(slices.Clone(runners), fmt.Sprintf("run %s (%s) waits for a runner since %s: it is offered to %s",
		s.Run.ID, s.Run.Kind, stamp(s.Run.OfferedAt), who))
}

// whyTeardown says what keeps an environment that should be gone.
func (s *Snapshot) whyTeardown() []string {
	env := s.Environment
	switch retry := s.clock(ClockTeardown); {
	case env.State == EnvOrphaned:
		return []string{fmt.Sprintf("its environment could not be taken down, and Blaise has given up: mend it, then: blaise retry-teardown %s",
			s.Session.ID)}
	case retry != nil && !s.Session.Held:
		return []string{fmt.Sprintf("its environment is still to be taken down: tried again at %s, at once with: blaise retry-teardown %s",
			stamp(retry.DueAt), s.Session.ID)}
	}
	return nil
}

func (s *Snapshot) whyEnded() []string {
	if !s.ended() {
		return nil
	}
	lines := []string{fmt.Sprintf("it ended %s at %s: %s", s.Session.Outcome, stamp(s.Session.EndedAt), s.Session.Reason)}
	if s.Session.Outcome == OutcomeFailed {
		lines = append(lines, "its first message begins another with: blaise start --again "+string(s.Session.ID))
	}
	return lines
}

// whyAgent says of an agent that somebody has put out of service what becomes of
// messages; of those that wait already it is told.
func (s *Snapshot) whyAgent() []string {
	what := ""
	switch {
	case s.ended() || len(s.Messages) > 0:
		return nil
	case s.Policy.Archived:
		what = "archived %s, and takes no messages until: blaise agent enable %s"
	case s.Policy.Disabled:
		what = "disabled %s, and messages wait until: blaise agent enable %s"
	default:
		return nil
	}
	return []string{"its agent is " + fmt.Sprintf(what, s.Policy.origin(s.Session.Agent, SettingState), s.Session.Agent)}
}

func (s *Snapshot) whyEnvironment() []string {
	env := s.Environment
	lines := []string{
		fmt.Sprintf("environment %s is %s: %s", env.ID, env.State, env.State.Meaning()),
	}
	if env.LastError != "" {
		lines = append(lines, "its last error: "+env.LastError)
	}
	if s.Session.Failures > 0 && !s.ended() {
		lines = append(lines, fmt.Sprintf("%s in a row lost or refused; at %d the session fails, and at once "+
			"if what it works in cannot be made", Count(s.Session.Failures, "run"), maxFailures))
	}
	return lines
}

// whyRun says how the run stands that somebody has taken.
func (s *Snapshot) whyRun(now time.Time) []string {
	run := s.live()
	if run == nil {
		return nil
	}
	lines := []string{
		fmt.Sprintf("run %s (%s) is %s: %s", run.ID, run.Kind, run.State, run.State.Meaning()),
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

func (s *Snapshot) whyClock(c Clock, now time.Time) string {
	if s.Session.Held {
		return fmt.Sprintf("clock %s stands still, %s before it fires (%s)", c.Kind, Span(c.Left(s.Session.HeldSince)), c.Setting)
	}
	then := c.Kind.Meaning()
	if c.Kind == ClockIdle {
		then = s.whenIdle()
	}
	return fmt.Sprintf("clock %s fires at %s (in %s), from %s: %s", c.Kind, stamp(c.DueAt), Span(c.DueAt.Sub(now)), c.Setting, then)
}

// whenIdle is what the idle clock does to the session, and by which setting.
func (s *Snapshot) whenIdle() string {
	p, agent := s.Policy, s.Session.Agent
	why := s.cannotResume()
	switch {
	case p.IdleThen == ThenEnd:
		return "the session ends: " + p.Origin(agent, "policy.idle.then", p.IdleThen)
	case why != "" && p.IdleCannotResume == ThenEnd:
		return "the session ends, for " + why + ": " + p.Origin(agent, "policy.idle.cannotResume", p.IdleCannotResume)
	}
	return "the session pauses"
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
