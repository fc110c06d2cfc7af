package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/tty"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
)

var _ tea.Model = (*model)(nil)

// A model is the conversation as it stands on the screen.
type model struct {
	ctx     context.Context // of the commands that bubbletea runs: it gives them none
	o       Options
	story   tty.Story
	height  int
	id      blaise.SessionID
	begun   chan blaise.SessionID
	session *api.Session // nil before it is known

	edit   textarea.Model
	letter letter // what is being sent
	recall int    // how far back in what was said, 0: not
	form   *form  // a question that is being answered in words

	seen    map[blaise.QuestionID]time.Time // when a question came onto the screen
	typed   time.Time                       // the last key
	leaving time.Time                       // Ctrl-C was pressed once
	hint    string                          // said below, until the next key

	out      []string // lines that wait to be printed
	printing bool
	over     bool
	err      error
}

// A tick has the times that are shown go on.
type tick struct{}

// A printed line is one after which the next may be.
type printed struct{}

func newModel(ctx context.Context, o Options) *model {
	return &model{
		ctx: ctx, o: o, story: tty.Story{Look: o.Look}, id: o.Session,
		begun: make(chan blaise.SessionID, 1), edit: newEditor(o), height: 24,
		seen: map[blaise.QuestionID]time.Time{},
	}
}

// Init is called once.
func (m *model) Init() tea.Cmd { return tea.Batch(m.edit.Focus(), nextTick()) }

func nextTick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tick{} }) }

// Update takes what happened, one thing at a time.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch x := msg.(type) {
	case tea.WindowSizeMsg:
		m.story.Look.Width, m.height = x.Width, x.Height
		m.edit.SetWidth(x.Width)
		return m, nil
	case tick:
		return m, nextTick()
	case printed:
		m.printing = false
		return m, m.print()
	case batch:
		return m, m.take(x)
	case lost:
		m.err = x.err
		return m, m.quit()
	case tea.KeyPressMsg:
		return m, m.key(x)
	case tea.PasteMsg:
		m.typed = time.Now()
		return m, m.input(msg)
	case sent:
		return m, m.posted(x)
	case done:
		return m, m.did(x)
	}
	return m, nil
}

// take tells what happened.
func (m *model) take(all batch) tea.Cmd {
	for _, f := range all {
		if f.Event != nil {
			m.out = append(m.out, m.story.Tell(*f.Event)...)
			continue
		}
		if m.session == nil || m.session.State != f.Session.State {
			m.hint, m.edit.Placeholder = "", "a message"
		}
		m.session = f.Session
		for _, w := range f.Session.Waits {
			if _, known := m.seen[w.ID]; !known {
				m.seen[w.ID] = time.Now()
			}
		}
	}
	m.form = m.form.still(m.session)
	if m.session != nil && m.session.Over() {
		m.out = append(m.out, m.story.End()...)
		m.out = append(m.out, m.story.Look.Wrap("the session has ended: "+tty.OneLine(ending(*m.session), 400), "", "")...)
		return tea.Sequence(m.print(), m.quit())
	}
	return m.print()
}

func ending(s api.Session) string {
	return strings.TrimSuffix(string(s.Outcome)+": "+s.Reason, ": ")
}

// print puts lines above the view, one command after the other: bubbletea does
// not keep the order of commands.
func (m *model) print() tea.Cmd {
	if m.printing || len(m.out) == 0 {
		return nil
	}
	m.printing = true
	text := strings.Join(m.out, "\n")
	m.out = nil
	return tea.Sequence(tea.Println(text), func() tea.Msg { return printed{} })
}

func (m *model) quit() tea.Cmd {
	m.over = true
	return tea.Quit
}

// fail shows an error and what to do about it.
func (m *model) fail(err error) tea.Cmd {
	text, hint := err.Error(), ""
	if e := (*blaise.Error)(nil); errors.As(err, &e) {
		text, hint = e.Message, e.Hint
	}
	look := m.story.Look
	for _, one := range look.Wrap(tty.Harmless(text), "✗ ", "  ") {
		m.out = append(m.out, look.Bad(one))
	}
	if hint != "" {
		m.out = append(m.out, look.Wrap("hint: "+tty.Harmless(hint), "  ", "  ")...)
	}
	return m.print()
}
