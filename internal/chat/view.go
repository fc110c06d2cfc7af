package chat

import (
	"fmt"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/tty"

	tea "charm.land/bubbletea/v2"
)

// rule is how long the line above the editor is: a longer one is broken in two
// when the terminal is made narrow.
const rule = 24

// View is what stands below what has scrolled by.
func (m *model) View() tea.View {
	if m.over {
		return tea.NewView("")
	}
	card, queue := m.card(), m.queue()
	writes := !m.o.Watch || m.form != nil
	rows := 1 + len(card) + len(queue)
	if writes {
		rows += 1 + m.edit.Height()
	}
	lines := m.story.Pending(max(min(m.height-rows-2, m.height/2), 1), time.Now())
	lines = append(append(lines, card...), queue...)
	var cursor *tea.Cursor
	if writes {
		lines = append(lines, m.story.Look.Dim(strings.Repeat("─", min(m.story.Look.Width, rule))))
		if cursor = m.edit.Cursor(); cursor != nil {
			cursor.Y += len(lines)
		}
		lines = append(lines, strings.Split(m.edit.View(), "\n")...)
	}
	lines = append(lines, m.status())
	if cut := len(lines) - m.height; cut > 0 { // a very low terminal: the end is what counts
		lines = lines[cut:]
		if cursor != nil {
			cursor.Y -= cut
		}
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.Cursor = cursor
	return v
}

// queue shows the messages that wait their turn.
func (m *model) queue() []string {
	look := m.story.Look
	var lines []string
	all := m.queued()
	for i, q := range all {
		if i == 3 {
			lines = append(lines, look.Dim(fmt.Sprintf("  and %d more", len(all)-i)))
			break
		}
		line := "queued: " + tty.OneLine(q.text, 200)
		if q.reason != "" {
			line += ", " + tty.OneLine(q.reason, 200)
		}
		if i == len(all)-1 && !q.cut {
			line = "(up takes it back) " + line
		}
		lines = append(lines, look.Dim(look.Cut(line)))
	}
	if m.letter.waits {
		lines = append(lines, look.Dim(look.Cut("sending: "+tty.OneLine(m.letter.text, 200))))
	}
	return lines
}

// status is the last line: what the session does, and what it has used.
func (m *model) status() string {
	look := m.story.Look
	if m.hint != "" {
		return look.Cut(look.Ask(m.hint))
	}
	if r, ok := replyOf(m.question(), strings.TrimSpace(m.edit.Value())); ok && m.form == nil {
		return look.Cut(look.Ask("Enter answers: " + r.says + " · write on to make it a message"))
	}
	if m.session == nil {
		return look.Dim(look.Cut("Enter sends · Alt-Enter begins a line · Ctrl-C twice leaves"))
	}
	s := m.session
	parts := []string{string(s.ID), tty.OneLine(string(s.Agent), 20), m.doing()}
	if text, n, of := m.story.Step(); text != "" {
		parts = append(parts, fmt.Sprintf("step %d of %d: %s", n, of, text))
	}
	parts = append(parts, tty.Spent(s.Usage)...)
	if s.Usage.ContextSize > 0 {
		parts = append(parts, fmt.Sprintf("context %d%%", s.Usage.ContextUsed*100/s.Usage.ContextSize))
	}
	switch {
	case m.inTurn() && !m.o.Watch:
		parts = append(parts, "Esc cancels")
	case m.o.Watch:
		parts = append(parts, "q leaves")
	}
	return look.Dim(look.Cut(strings.Join(parts, " · ")))
}

// doing is the state, with how long the turn takes.
func (m *model) doing() string {
	s := m.session
	text := string(s.State)
	if s.Held {
		text += ", held"
	}
	if s.State == blaise.SessionIdle || s.State == blaise.SessionEnded || s.State == blaise.SessionPaused {
		return text
	}
	for _, x := range s.Messages {
		if x.State == blaise.MessageDelivered && x.DeliveredAt != nil {
			if d := time.Since(*x.DeliveredAt).Truncate(time.Second); d > 0 {
				return text + " " + d.String()
			}
		}
	}
	switch waits := s.Queue.Waits(); {
	case s.Queue != nil && s.Queue.Lacks != "":
		return text + " (" + s.Queue.Short() + ")"
	case waits != "":
		return waits
	case s.State == blaise.SessionQueued:
		text += ", environment " + string(s.Environment.State)
	}
	return text
}
