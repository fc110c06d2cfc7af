package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

// OnlyHere are the saves that go with the session when it is deleted.
func (p panel) OnlyHere() int { return len(blaise.OnlyHere(p.S.Saves)) }

// WaitsFor is what a session that is queued waits for, in a sentence; "" if it
// is not.
func (p panel) WaitsFor() string {
	if len(p.Why) == 0 {
		return ""
	}
	return p.Why[0]
}

func (p panel) title() string {
	return counted(len(p.S.Waits), plain(firstOf(p.S.Title, string(p.S.ID))))
}

// counted is the title of a page in a browser's tab: open questions go first.
func counted(questions int, title string) string {
	if questions > 0 {
		return fmt.Sprintf("(%d) %s", questions, title)
	}
	return title
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

// Unheard are the messages that the agent never got, of a session that has
// ended: its transcript has none of them.
func (p panel) Unheard() []api.Message {
	if p.S.State != blaise.SessionEnded {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.S.Messages), func(m api.Message) bool { return m.DeliveredAt != nil })
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
	Stands  string // what is left of it while the session is held, "" while it runs
	beaten  int    // 1 if heartbeats move it on
}

// In is how long until it fires, for those without a script.
func (c clockView) In(now time.Time) string { return within(c.DueAt.Sub(now)) }

// Next is the clock that fires next and tells what becomes of the session; nil
// if none runs. That a silent run is given up is told only if there is no other.
func (p panel) Next() *clockView {
	all := p.Clocks()
	if len(all) == 0 {
		return nil
	}
	return &all[0]
}

// Others are the clocks behind the next one.
func (p panel) Others() []clockView {
	if all := p.Clocks(); len(all) > 1 {
		return all[1:]
	}
	return nil
}

// ContextMeaning says how much of the conversation the agent has (X6).
func (p panel) ContextMeaning() string {
	switch p.S.Context {
	case blaise.ContextFull:
		return "The agent has all of the conversation."
	case blaise.ContextPartial:
		return "After the last resume the agent has a part of the conversation."
	case blaise.ContextNone:
		return "After the last resume the agent knows nothing of the conversation but what Blaise told it."
	}
	return "Whether the agent has all of the conversation after the last resume is not known."
}

// Clocks are the clocks that run, the next one first; last the one that every
// heartbeat moves.
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
		v := clockView{Verb: firstOf(verb, string(c.Kind)), DueAt: c.DueAt, Setting: c.Setting, Then: c.Then}
		if left, stands := c.Left(p.Now); stands {
			v.Stands = blaise.Span(left)
		}
		if c.Kind == blaise.ClockLost {
			v.beaten = 1
		}
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(a, b clockView) int { return cmp.Compare(a.beaten, b.beaten) })
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
