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

// composure is how long a question must have been on the screen before it is
// answered, and, where there is nothing to write on, how long no key may have been
// pressed: what somebody was about to write is no answer.
const composure = 700 * time.Millisecond

// question is the one that is to be answered first.
func (m *model) question() *api.Wait {
	if m.session == nil || len(m.session.Waits) == 0 {
		return nil
	}
	return &m.session.Waits[0]
}

// A reply is what a key says to a question.
type reply struct {
	says   string // in a word
	fields []blaise.Field
	answer api.AnswerQuestion
}

// replyOf is the reply of a key, or of a text that is nothing but that key.
func replyOf(w *api.Wait, key string) (reply, bool) {
	if w == nil {
		return reply{}, false
	}
	fields := fieldsOf(w).Fields
	if key == "y" && len(fields) > 0 {
		return reply{says: "fill it in", fields: fields}, true
	}
	if n, err := strconv.Atoi(key); err == nil && len(fields) == 0 && n >= 1 && n <= min(len(w.Options), 9) {
		o := w.Options[n-1]
		return reply{says: tty.OneLine(o.Name, 40), answer: api.AnswerQuestion{Choice: o.ID}}, true
	}
	if allow := key == "y"; allow || key == "n" {
		word := map[bool]string{true: "yes", false: "no"}[allow]
		return reply{says: word, answer: api.AnswerQuestion{Allow: &allow}}, true
	}
	return reply{}, false
}

// decide answers the question at once with a key, where there is nothing to
// write on.
func (m *model) decide(key string, last time.Time) (tea.Cmd, bool) {
	w := m.question()
	r, ok := replyOf(w, key)
	if !ok || time.Since(m.seen[w.ID]) < composure || time.Since(last) < composure {
		return nil, false
	}
	return m.reply(*w, r), true
}

// replies answers the question with what is written, if that is one of its keys
// and no more.
func (m *model) replies(text string) (tea.Cmd, bool) {
	w := m.question()
	r, ok := replyOf(w, strings.TrimSpace(text))
	if !ok {
		return nil, false
	}
	if time.Since(m.seen[w.ID]) < composure {
		m.hint = "the question has only just come: read it, and press Enter again"
		return nil, true
	}
	m.fill("")
	return m.reply(*w, r), true
}

func (m *model) reply(w api.Wait, r reply) tea.Cmd {
	if len(r.fields) > 0 {
		m.form = &form{wait: w, fields: r.fields, values: map[string]string{}}
		return nil
	}
	return m.answer(w.ID, r.answer)
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
	if w.Kind == blaise.QuestionPermission {
		lines = append(lines, look.Asked(w.Detail, m.askedRows())...)
	}
	if f.URL != "" {
		lines = append(lines, look.Wrap("open "+tty.OneLine(f.URL, 1000), "  ", "  ")...)
	}
	if m.form != nil {
		return append(lines, m.form.line(look)...)
	}
	return append(lines, look.Wrap(m.keys(w, f), "  ", "  ")...)
}

// keys are those that answer the question.
func (m *model) keys(w *api.Wait, f blaise.Form) string {
	keys := "y yes · n no"
	if len(f.Fields) > 0 {
		keys = fmt.Sprintf("y fill in %d fields · n decline", len(f.Fields))
	}
	for i, o := range w.Options {
		if i < 9 && len(f.Fields) == 0 {
			keys += fmt.Sprintf(" · %d %s", i+1, tty.OneLine(o.Name, 40))
			if c := o.Caution(); c != "" {
				keys += " (" + c + ")"
			}
		}
	}
	if !m.o.Watch {
		keys += ", then Enter"
	}
	if w.Kind == blaise.QuestionPermission {
		keys += " · Ctrl-O shows all of it"
	}
	if n := len(m.session.Waits); n > 1 {
		keys += fmt.Sprintf("   (1 of %d questions)", n)
	}
	return keys
}

// askedRows is how much of the screen what is asked for may take.
func (m *model) askedRows() int { return max(m.height-16, 3) }

// showAsked prints all of what is asked for, to be scrolled back to.
func (m *model) showAsked() tea.Cmd {
	if w := m.question(); w != nil && w.Kind == blaise.QuestionPermission {
		look := m.story.Look
		m.out = append(m.out, look.Wrap(tty.OneLine(w.What, 1000), look.Ask("? "), "  ")...)
		m.out = append(m.out, look.Asked(w.Detail, 0)...)
	}
	return m.print()
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
