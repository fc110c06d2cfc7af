package tty

import (
	"fmt"
	"slices"
	"time"

	"blaise.dev/blaise/transcript"
)

// callsShown is how many tool calls under way have a line of their own.
const callsShown = 4

// A call is a tool call that is under way.
type call struct {
	id, title string
	began     time.Time
}

// call follows a tool call; it returns its line when the call has ended.
func (s *Story) call(e transcript.Event, u update) []string {
	i := slices.IndexFunc(s.calls, func(c call) bool { return c.id == u.ToolCallID })
	if i < 0 {
		s.calls = append(s.calls, call{id: u.ToolCallID, title: "a tool", began: e.At})
		i = len(s.calls) - 1
	}
	c := &s.calls[i]
	if u.Title != "" {
		c.title = u.Title
	}
	if u.Status != "completed" && u.Status != "failed" {
		return nil
	}
	done := *c
	s.calls = slices.Delete(s.calls, i, i+1)
	mark, tail := s.Look.Good("✓"), took(e.At.Sub(done.began))
	if u.Status == "failed" {
		mark, tail = s.Look.Bad("✗"), ", failed"+tail
	} else if !s.asked[u.ToolCallID] {
		tail += ", not gated" // what is done without asking no rule has seen (B4)
	}
	return s.lines(s.Look.Cut(mark + " " + OneLine(done.title, 300) + s.Look.Dim(tail)))
}

// running shows the calls that are under way.
func (s *Story) running(now time.Time) []string {
	var lines []string
	for i, c := range s.calls {
		if i == callsShown {
			lines = append(lines, s.Look.Dim(fmt.Sprintf("  and %d more", len(s.calls)-i)))
			break
		}
		lines = append(lines, s.Look.Cut("▸ "+OneLine(c.title, 300)+s.Look.Dim(took(now.Sub(c.began)))))
	}
	return lines
}

// endCalls tells of calls that never ended.
func (s *Story) endCalls() []string {
	var lines []string
	for _, c := range s.calls {
		lines = append(lines, s.lines(s.Look.Dim(s.Look.Cut("▸ "+OneLine(c.title, 300)+", not finished")))...)
	}
	s.calls = nil
	return lines
}

// took says how long something took, if that is worth a word.
func took(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return ", " + d.Round(time.Second).String()
}
