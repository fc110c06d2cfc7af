package dashboard

import (
	"crypto/rand"
	"net/http"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// A newPage is the form for a new session.
type newPage struct {
	Agents []api.Agent
	Agent  string
	Text   string
	From   string
	Key    string
	Model  string
	Mode   string
	Set    string // inputs, name=value, one a line
}

func (d *dashboard) newForm(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	d.newWith(w, r, nil, newPage{Agent: q.Get("agent"), From: q.Get("from"), Key: rand.Text()})
}

func (d *dashboard) newWith(w http.ResponseWriter, r *http.Request, f *failure, n newPage) {
	var err error
	if n.Agents, err = d.views.Agents(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if f != nil {
		status = f.Status
	}
	d.show(w, r, status, "new", page{Title: "New session", Nav: "new", Error: f, Body: n})
}

func (d *dashboard) start(w http.ResponseWriter, r *http.Request) {
	err := readForm(r)
	n := newPage{
		Agent: r.PostFormValue("agent"), Text: r.PostFormValue("text"),
		From: strings.TrimSpace(r.PostFormValue("from")), Key: r.PostFormValue("key"),
		Set: r.PostFormValue("set"), Model: r.PostFormValue("model"), Mode: r.PostFormValue("mode"),
	}
	var m blaise.Message
	var set map[string]string
	if err == nil {
		set, err = inputsOf(n.Set)
	}
	var files []control.File
	if err == nil {
		files, err = filesOf(r)
	}
	if err == nil {
		m, err = d.control.Start(r.Context(), d.o.User(r).Name, control.Start{
			Agent: blaise.AgentName(n.Agent), Text: n.Text, Key: n.Key, From: blaise.SessionID(n.From),
			Inputs: set, Files: files, Wanted: wanted(n.Model, n.Mode),
		})
	}
	switch {
	case err == nil:
		done(w, r, "/sessions/"+string(m.ID.Session()))
	case scripted(r):
		d.fail(w, r, err)
	default:
		d.newWith(w, r, d.failureOf(r, err), n)
	}
}

// inputsOf reads inputs as they are written in the form.
func inputsOf(text string) (map[string]string, error) {
	set := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case ok:
			set[strings.TrimSpace(name)] = strings.TrimSpace(value)
		case name != "":
			return nil, blaise.Errorf(blaise.CodeInvalid, "inputs: %q is not name=value", name).
				WithHint("write one input a line, such as base=main")
		}
	}
	return set, nil
}
