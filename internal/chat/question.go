package chat

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/tty"

	tea "charm.land/bubbletea/v2"
)

// composure is how long a question must have been on the screen, and no key have
// been pressed, before a key answers it: what somebody was about to write is no
// answer.
const composure = 700 * time.Millisecond

// question is the one that is to be answered first.
func (m *model) question() *api.Wait {
	if m.session == nil || len(m.session.Waits) == 0 {
		return nil
	}
	return &m.session.Waits[0]
}

// decide answers the question with a key, if it is one that does.
func (m *model) decide(key string, last time.Time) (tea.Cmd, bool) {
	w := m.question()
	if w == nil || time.Since(m.seen[w.ID]) < composure || time.Since(last) < composure {
		return nil, false
	}
	f := fieldsOf(w)
	if key == "y" && len(f.Fields) > 0 {
		m.form = &form{wait: *w, fields: f.Fields, values: map[string]string{}}
		return nil, true
	}
	if n, err := strconv.Atoi(key); err == nil && len(f.Fields) == 0 && n >= 1 && n <= len(w.Options) {
		return m.answer(w.ID, api.AnswerQuestion{Choice: w.Options[n-1].ID}), true
	}
	if allow := key == "y"; allow || key == "n" {
		return m.answer(w.ID, api.AnswerQuestion{Allow: &allow}), true
	}
	return nil, false
}

// fieldsOf is what is to be filled in; a permission has nothing.
func fieldsOf(w *api.Wait) blaise.Form {
	if w.Kind != blaise.QuestionElicitation {
		return blaise.Form{}
	}
	return blaise.FormOf(w.Detail)
}

// card shows the question and the keys that answer it.
func (m *model) card() []string {
	w := m.question()
	if w == nil {
		return nil
	}
	look := m.story.Look
	lines := append([]string{""}, look.Wrap(tty.OneLine(w.What, 1000), look.Ask("? "), "  ")...)
	if w.Rule != "" {
		lines = append(lines, look.Dim(look.Cut("  put to you by "+tty.OneLine(w.Rule, 300))))
	}
	f := fieldsOf(w)
	if f.URL != "" {
		lines = append(lines, look.Wrap("open "+tty.OneLine(f.URL, 1000), "  ", "  ")...)
	}
	if m.form != nil {
		return append(lines, m.form.line(look)...)
	}
	keys := "  y yes · n no"
	if len(f.Fields) > 0 {
		keys = fmt.Sprintf("  y fill in %d fields · n decline", len(f.Fields))
	}
	for i, o := range w.Options {
		if i < 9 && len(f.Fields) == 0 {
			keys += fmt.Sprintf(" · %d %s", i+1, tty.OneLine(o.Name, 40))
			if c := o.Caution(); c != "" {
				keys += " (" + c + ")"
			}
		}
	}
	if n := len(m.session.Waits); n > 1 {
		keys += fmt.Sprintf("   (1 of %d questions)", n)
	}
	return append(lines, look.Wrap(strings.TrimSpace(keys), "  ", "  ")...)
}

// A form is an elicitation that is being filled in, field by field.
type form struct {
	wait   api.Wait
	fields []blaise.Field
	values map[string]string
}

// still is the form, if its question is still open.
func (f *form) still(s *api.Session) *form {
	if f == nil || s == nil {
		return f
	}
	for _, w := range s.Waits {
		if w.ID == f.wait.ID {
			return f
		}
	}
	return nil
}

func (f *form) line(look tty.Look) []string {
	x := f.fields[0]
	about := cmp.Or(x.Title, x.Name)
	if x.Description != "" {
		about += ": " + x.Description
	}
	about += " (" + x.Wants()
	switch {
	case x.Default != "":
		about += ", Enter for " + x.Default
	case !x.Required:
		about += ", Enter for nothing"
	}
	return look.Wrap(tty.OneLine(about+"); Esc leaves it", 600), "  ", "  ")
}

// fillIn takes the value of a field, and answers after the last.
func (m *model) fillIn(value string) tea.Cmd {
	f := m.form
	x := f.fields[0]
	if value == "" && x.Required && x.Default == "" {
		m.hint = "this one is needed"
		return nil
	}
	if value != "" {
		f.values[x.Name] = value
	}
	if f.fields = f.fields[1:]; len(f.fields) > 0 {
		return nil
	}
	m.form = nil
	yes := true
	return m.answer(f.wait.ID, api.AnswerQuestion{Allow: &yes, Set: f.values})
}
