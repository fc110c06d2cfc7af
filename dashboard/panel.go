package dashboard

import (
	"context"
	"fmt"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A panel is what stands around a conversation: state, questions, queue,
// environment, acts.
type panel struct {
	S    api.Session
	Then blaise.Then // of the idle clock, as the agent's policy has it
	Now  time.Time
	Why  []string
}

func (d *dashboard) panelOf(ctx context.Context, id blaise.SessionID) (panel, error) {
	s, err := d.views.Session(ctx, id)
	if err != nil {
		return panel{}, err
	}
	return d.around(ctx, s), nil
}

func (d *dashboard) around(ctx context.Context, s api.Session) panel {
	p := panel{S: s, Now: d.o.Now(), Then: blaise.ThenPause}
	if a, err := d.control.Agent(ctx, s.Agent); err == nil {
		p.Then = a.Policy.IdleThen
	}
	if s.State == blaise.SessionQueued { // it waits: say for what
		p.Why, _ = d.control.Why(ctx, string(s.ID)) // the page does without
	}
	return p
}

func (p panel) title() string {
	t := firstOf(p.S.Title, string(p.S.ID))
	if len(p.S.Waits) > 0 {
		return fmt.Sprintf("(%d) %s", len(p.S.Waits), t)
	}
	return t
}

// Queued are the messages that can be withdrawn.
func (p panel) Queued() []api.Message {
	var list []api.Message
	for _, m := range p.S.Messages {
		if m.State == blaise.MessageQueued || m.State == blaise.MessageInterrupted {
			list = append(list, m)
		}
	}
	return list
}

// Takes says that a message may be sent.
func (p panel) Takes() bool {
	return p.S.State != blaise.SessionEnded && p.S.Environment.State != blaise.EnvOrphaned
}

// A clockView is a clock in words.
type clockView struct {
	Verb    string // "pauses"
	DueAt   time.Time
	Setting string
	Then    string
}

// In is how long until it fires, for those without a script.
func (c clockView) In(now time.Time) string { return within(c.DueAt.Sub(now)) }

// Clocks are the clocks that run, the next one first.
func (p panel) Clocks() []clockView {
	var list []clockView
	for _, c := range p.S.Clocks {
		verb := clockVerbs[c.Kind]
		if c.Kind == blaise.ClockIdle {
			verb = "pauses"
			if p.Then == blaise.ThenEnd {
				verb = "ends"
			}
		}
		list = append(list, clockView{Verb: firstOf(verb, string(c.Kind)), DueAt: c.DueAt, Setting: c.Setting, Then: c.Then})
	}
	return list
}

var clockVerbs = map[blaise.ClockKind]string{
	blaise.ClockMaxPaused:   "ends and is torn down",
	blaise.ClockConnect:     "the run is given up",
	blaise.ClockLost:        "the run is declared lost, unless it is heard,",
	blaise.ClockOpen:        "opening is given up",
	blaise.ClockHook:        "is overdue",
	blaise.ClockReceipt:     "the stop is void, unless received,",
	blaise.ClockTeardown:    "the teardown is tried again",
	blaise.ClockRetry:       "another run is offered",
	blaise.ClockSilenceWarn: "warns of silence",
	blaise.ClockStalled:     "the turn is cancelled as stalled",
	blaise.ClockQuestion:    "the question is answered by policy",
	blaise.ClockExpires:     "the session expires",
}

// within is a span in the words people use.
func within(d time.Duration) string {
	if d < 0 {
		return "now"
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("in %d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("in %d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("in %d h", int(d.Hours()))
	}
	return fmt.Sprintf("in %d days", int(d.Hours()/24))
}

// Restore is the command that brings saved work back.
func (p panel) Restore() string { return "blaise restore " + string(p.S.ID) }

// StateMeaning explains the session's state (A5).
func (p panel) StateMeaning() string { return p.S.State.Meaning() }

// ending says that the session has ended and its environment is still paused
// for it, to be taken down.
func (p panel) ending() bool {
	return p.S.State == blaise.SessionEnded && p.S.Environment.State == blaise.EnvPausing
}

// EnvironmentMeaning explains the environment's state.
func (p panel) EnvironmentMeaning() string {
	if p.ending() {
		return "The run has confirmed the end: it saves the work, then everything is taken down."
	}
	return p.S.Environment.Meaning
}

// EnvironmentWords is the environment's state as words.
func (p panel) EnvironmentWords() string {
	if p.ending() {
		return "ending"
	}
	return strings.ReplaceAll(string(p.S.Environment.State), "_", " ")
}
