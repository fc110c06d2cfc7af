package dashboard

import (
	"crypto/rand"
	"net/http"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// A newPage is the form for a new session.
type newPage struct {
	Agents []choice
	Agent  string
	Text   string
	From   string
	Key    string
	Model  string
	Mode   string
	sent   map[string]string // fields of inputs
}

func (d *dashboard) newForm(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	d.newWith(w, r, nil, newPage{Agent: q.Get("agent"), From: q.Get("from"), Key: rand.Text()})
}

func (d *dashboard) newWith(w http.ResponseWriter, r *http.Request, f *failure, n newPage) {
	var err error
	if n.Agents, err = d.choices(r.Context(), n.Agent, n.sent); err != nil {
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
		sent: sentInputs(r), Model: r.PostFormValue("model"), Mode: r.PostFormValue("mode"),
	}
	var m blaise.Message
	var set map[string]string
	if err == nil {
		set, err = d.inputsOf(r.Context(), blaise.AgentName(n.Agent), n.sent)
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
