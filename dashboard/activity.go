package dashboard

import (
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// An activity is what a session does now, in a line: it stays in sight however
// far a reader has scrolled (B4).
type activity struct {
	panel
	Doing string // what the agent does in its turn, as far as it tells
}

// doing is what the agent does in the turn that is open, as far as it tells: the
// tool that it runs, else what it said last.
func (c *conversation) doing() string {
	said := ""
	for n := len(c.items) - 1; n >= 0; n-- {
		switch i := c.items[n]; i.Kind {
		case "turn", "said":
			return firstOf(said, "thinking")
		case "tool":
			if i.Running() {
				return i.Title
			}
			said = firstOf(said, "thinking") // about what the tool gave
		case "thought":
			said = firstOf(said, "thinking")
		case "agent":
			said = firstOf(said, "writing")
		}
	}
	return firstOf(said, "thinking")
}

// InTurn says that a turn is open.
func (a activity) InTurn() bool {
	return a.S.State == blaise.SessionWorking || a.S.State == blaise.SessionParked
}

// Words are what it does in its state, "" where the state says it all.
func (a activity) Words() string {
	switch a.S.State {
	case blaise.SessionWorking:
		return a.Doing
	case blaise.SessionParked:
		return "waits for your answer"
	case blaise.SessionQueued:
		return firstOf(a.S.Queue.Waits(), "environment "+a.EnvironmentWords())
	case blaise.SessionPaused:
		return "a message wakes it"
	}
	return ""
}

// Step is how far the plan is that the turn works on, "" for none.
func (a activity) Step() string {
	done, all := a.PlanDone(), len(a.S.Plan)
	if !a.InTurn() || done == all {
		return ""
	}
	return fmt.Sprintf("plan %d of %d", done, all)
}

// Since is when the open turn began, zero if none is known to be.
func (a activity) Since() time.Time {
	for _, m := range a.S.Messages {
		if a.InTurn() && m.State == blaise.MessageDelivered && m.DeliveredAt != nil {
			return *m.DeliveredAt
		}
	}
	return time.Time{}
}

// Clock is the clock that ends the quiet, nil for none.
func (a activity) Clock() *clockView {
	if a.S.State != blaise.SessionIdle {
		return nil
	}
	return a.Next()
}
