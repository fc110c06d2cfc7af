package chat

import (
	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"
)

// A letter is a message on its way. It keeps its key until it has arrived: sent
// again with it, it is there once.
type letter struct {
	text, key string
	waits     bool // for Blaise's answer
}

// A sent letter has arrived, or has not.
type sent struct {
	posted api.Posted
	err    error
}

// An act is done, or was refused.
type done struct {
	said string // what it was
	back string // a text that was taken back
	err  error
}

// post sends a message; the first one begins the session, where there is none.
func (m *model) post(text string) tea.Cmd {
	if m.letter.text != text {
		m.letter = letter{text: text, key: uuid.NewString()}
	}
	m.letter.waits = true
	key, id := m.letter.key, m.id
	return func() tea.Msg {
		if id == "" {
			p, err := m.o.Begin(m.ctx, text, key)
			return sent{posted: p, err: err}
		}
		p, err := m.o.Client.PostMessage(m.ctx, id, api.PostMessage{Text: text, Key: key})
		return sent{posted: p, err: err}
	}
}

// posted takes the answer to a message. One that did not arrive is given back.
func (m *model) posted(s sent) tea.Cmd {
	m.letter.waits = false
	if s.err != nil {
		if m.edit.Value() == "" {
			m.fill(m.letter.text)
		}
		return m.fail(s.err)
	}
	m.letter = letter{}
	if m.id == "" {
		m.id = s.posted.Session
		m.begun <- m.id
	}
	return nil
}

func (m *model) cancelTurn() tea.Cmd {
	if !m.inTurn() {
		return nil
	}
	id := m.id
	return func() tea.Msg {
		return done{said: "the turn is being cancelled", err: m.o.Client.Cancel(m.ctx, id, "")}
	}
}

// takeBack withdraws a queued message, to be changed.
func (m *model) takeBack(q messageLine) tea.Cmd {
	id := m.id
	return func() tea.Msg {
		return done{said: "taken back: change it and send it again", back: q.text, err: m.o.Client.Withdraw(m.ctx, id, q.id)}
	}
}

func (m *model) answer(q blaise.QuestionID, a api.AnswerQuestion) tea.Cmd {
	return func() tea.Msg { return done{err: m.o.Client.AnswerQuestion(m.ctx, q, a)} }
}

// did takes the answer to an act.
func (m *model) did(d done) tea.Cmd {
	if d.err != nil {
		return m.fail(d.err)
	}
	m.hint = d.said
	if d.back != "" && m.edit.Value() == "" {
		m.fill(d.back)
	}
	return nil
}
