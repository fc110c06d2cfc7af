package run_test

import (
	"encoding/json"
	"slices"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/transcript"
)

// A control is Blaise for one run.
type control struct {
	*apitest.Blaise
	t *testing.T
}

func newControl(t *testing.T) *control {
	t.Helper()
	return &control{Blaise: apitest.Start(t), t: t}
}

// answered waits for the end of a turn and gives the agent's text.
func (c *control) answered(n int, want blaise.MessageState) api.Report {
	c.t.Helper()
	rep := c.ReportN(blaise.EventTurnEnded, n)
	if rep.Result != want {
		c.t.Fatalf("turn %d ended %s (%s), want %s", n, rep.Result, rep.Reason, want)
	}
	return rep
}

// next is the lease of the run after this one.
func (c *control) next(kind blaise.RunKind, n int) api.Lease {
	l := apitest.Lease(kind, n)
	c.Set(func() {
		for _, r := range c.Reports {
			switch r.Event {
			case blaise.EventPauseReported, blaise.EventOpened:
				l.Opened = slices.Clone(r.Plugs)
			case blaise.EventConversation:
				l.Conversation = *r.Conversation
			case api.EventConfigKept:
				l.Config = r.Config
			case blaise.EventWorkSaved:
				l.NextSave = r.Saved.N + 1
			case blaise.EventTurnEnded:
				if r.Result == blaise.MessageAnswered {
					l.Turns++
				}
			}
		}
	})
	l.Conversation.Turns = l.Turns
	return l
}

func (c *control) ended(n int) (end struct {
	Outcome, StopReason, Reason string
	Unfinished                  []string
}) {
	c.t.Helper()
	c.ReportN(blaise.EventTurnEnded, n)
	c.Await("turn_ended", func() bool {
		left := n
		for _, e := range c.Events {
			if e.Kind != transcript.KindTurnEnded {
				continue
			}
			if left--; left == 0 {
				return json.Unmarshal(e.Data, &end) == nil
			}
		}
		return false
	})
	return end
}

func (c *control) context() blaise.ContextState {
	return c.Report(blaise.EventConversation).Context
}
