package chat

import (
	"strings"
	"time"

	"blaise.dev/blaise"

	tea "charm.land/bubbletea/v2"
)

// twice is how soon after the first Ctrl-C another one leaves.
const twice = 2 * time.Second

// key obeys a key.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	last := m.typed
	m.typed, m.hint = time.Now(), ""
	name := k.String()
	switch name {
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+o":
		return m.showAsked()
	}
	m.leaving = time.Time{}
	empty := m.edit.Value() == ""
	if m.o.Watch && m.form == nil {
		if cmd, taken := m.decide(name, last); taken {
			return cmd
		}
	}
	switch {
	case name == "ctrl+d" && empty, name == "q" && m.o.Watch && m.form == nil:
		return m.quit()
	case name == "esc":
		return m.escape()
	case m.o.Watch && m.form == nil:
		return nil
	case name == "enter":
		return m.enter()
	case name == "up" && m.form == nil && (empty || m.recall > 0):
		return m.back(empty)
	case name == "down" && m.form == nil && m.recall > 0:
		m.browse(-1)
		return nil
	}
	m.recall = 0
	return m.input(k)
}

// interrupt is Ctrl-C: it empties the editor, else cancels the turn; twice it
// leaves.
func (m *model) interrupt() tea.Cmd {
	if time.Since(m.leaving) < twice {
		return m.quit()
	}
	m.leaving, m.hint = m.typed, "Ctrl-C again leaves; the session goes on"
	switch {
	case m.edit.Value() != "" || m.form != nil:
		m.form = nil
		m.fill("")
		return nil
	case m.o.Watch:
		return m.quit()
	}
	return m.cancelTurn()
}

// escape leaves a form, else cancels the turn.
func (m *model) escape() tea.Cmd {
	if m.form != nil {
		m.form = nil
		m.fill("")
		return nil
	}
	if m.o.Watch {
		return nil
	}
	return m.cancelTurn()
}

// enter sends what was written.
func (m *model) enter() tea.Cmd {
	text := m.edit.Value()
	if m.form != nil {
		m.fill("")
		return m.fillIn(strings.TrimSpace(text))
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if cmd, taken := m.replies(text); taken {
		return cmd
	}
	if m.letter.waits {
		m.hint = "the message before is still on its way"
		return nil
	}
	m.recall = 0
	m.fill("")
	return m.post(text)
}

// back is the up key: it takes a queued message back to be changed, else goes
// back in what was said.
func (m *model) back(empty bool) tea.Cmd {
	if q := m.queued(); empty && len(q) > 0 && !q[len(q)-1].cut {
		return m.takeBack(q[len(q)-1])
	}
	m.browse(1)
	return nil
}

// inTurn says that a turn is open.
func (m *model) inTurn() bool {
	return m.session != nil && (m.session.State == blaise.SessionWorking || m.session.State == blaise.SessionParked)
}
