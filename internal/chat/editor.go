package chat

import (
	"blaise.dev/blaise"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// editorRows is how high the editor may grow.
const editorRows = 8

// newEditor is a line that grows: Enter sends, Alt-Enter, Shift-Enter and Ctrl-J
// begin another.
func newEditor(o Options) textarea.Model {
	e := textarea.New()
	e.Prompt, e.ShowLineNumbers, e.CharLimit = "› ", false, 0
	e.SetPromptFunc(2, func(p textarea.PromptInfo) string {
		if p.LineNumber == 0 {
			return "› "
		}
		return "  "
	})
	e.Placeholder = "a message"
	if o.Session == "" {
		e.Placeholder = "the first message begins the session"
	}
	e.DynamicHeight, e.MinHeight, e.MaxHeight, e.MaxContentHeight = true, 1, editorRows, 10_000
	e.SetHeight(1)
	e.SetWidth(max(o.Look.Width, 20))
	e.KeyMap.InsertNewline.SetKeys("alt+enter", "shift+enter", "ctrl+j")
	e.KeyMap.Paste.SetEnabled(false) // what the terminal pastes comes as such
	e.SetVirtualCursor(false)
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{
		Base: plain, Text: plain, CursorLine: plain, EndOfBuffer: plain,
		Placeholder: plain.Faint(o.Look.Colour), Prompt: plain.Bold(o.Look.Colour),
	}
	e.SetStyles(textarea.Styles{Focused: state, Blurred: state})
	return e
}

// input gives the editor what was typed or pasted.
func (m *model) input(msg tea.Msg) tea.Cmd {
	if m.o.Watch && m.form == nil {
		return nil
	}
	var cmd tea.Cmd
	m.edit, cmd = m.edit.Update(msg)
	return cmd
}

// fill puts a text into the editor, to be changed.
func (m *model) fill(text string) {
	m.edit.SetValue(text)
	m.edit.MoveToEnd()
}

// said are the texts of a session's messages, the last first.
func (m *model) said() []string {
	var all []string
	if m.session == nil {
		return nil
	}
	for i := len(m.session.Messages) - 1; i >= 0; i-- {
		if text := m.session.Messages[i].Text; !m.session.Messages[i].Cut && text != "" {
			all = append(all, text)
		}
	}
	return all
}

// browse goes back and forth in what was said.
func (m *model) browse(by int) {
	all := m.said()
	m.recall = min(max(m.recall+by, 0), len(all))
	if m.recall == 0 {
		m.fill("")
		return
	}
	m.fill(all[m.recall-1])
}

// queued are the messages that wait their turn.
func (m *model) queued() []messageLine {
	if m.session == nil {
		return nil
	}
	var all []messageLine
	for _, x := range m.session.Messages {
		if x.State == blaise.MessageQueued {
			all = append(all, messageLine{id: x.ID, text: x.Text, reason: x.Reason, cut: x.Cut})
		}
	}
	return all
}

// A messageLine is a message that is queued.
type messageLine struct {
	id           blaise.MessageID
	text, reason string
	cut          bool
}
