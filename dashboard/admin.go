package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// An agentsPage lists the agents and takes a manifest.
type agentsPage struct {
	Agents   []api.Agent
	Manifest string
	Applied  *control.Applied
	Dry      bool
}

func (d *dashboard) agents(w http.ResponseWriter, r *http.Request) {
	d.agentsWith(w, r, nil, agentsPage{Manifest: exampleManifest})
}

const exampleManifest = `apiVersion: blaise.dev/v1
kind: Agent
metadata: {name: my-agent}
spec:
  policy:
    idle: {after: 15m, then: pause}
    maxPaused: 7d
`

func (d *dashboard) agentsWith(w http.ResponseWriter, r *http.Request, f *failure, a agentsPage) {
	var err error
	if a.Agents, err = d.views.Agents(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if f != nil {
		status = f.Status
	}
	d.show(w, r, status, "agents", page{Title: "Agents", Nav: "agents", Error: f, Body: a})
}

func (d *dashboard) apply(w http.ResponseWriter, r *http.Request) {
	text, dry := r.PostFormValue("manifest"), r.PostFormValue("dry") != ""
	a, err := d.applied(r, text, dry)
	if err != nil {
		d.agentsWith(w, r, d.failureOf(r, err), agentsPage{Manifest: text})
		return
	}
	d.agentsWith(w, r, nil, agentsPage{Manifest: text, Applied: &a, Dry: dry})
}

func (d *dashboard) agentState(w http.ResponseWriter, r *http.Request) {
	name := blaise.AgentName(r.PathValue("name"))
	if err := d.control.SetAgentState(r.Context(), d.o.User(r).Name, name, r.PostFormValue("state")); err != nil {
		d.fail(w, r, err)
		return
	}
	done(w, r, "/agents/"+string(name))
}

// indented is JSON for people.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// A runnersPage lists the runners; Secret is that of one just made.
type runnersPage struct {
	Runners []api.Runner
	Paused  map[blaise.RunnerID]*pausedThere
	Secret  string
	Name    string
	Now     time.Time
}

func (d *dashboard) runners(w http.ResponseWriter, r *http.Request) {
	d.runnersWith(w, r, nil, runnersPage{})
}

func (d *dashboard) runnersWith(w http.ResponseWriter, r *http.Request, f *failure, p runnersPage) {
	p.Now = d.o.Now()
	var err error
	if p.Runners, err = d.views.Runners(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	if p.Paused, err = d.pausedThere(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if f != nil {
		status = f.Status
	}
	d.show(w, r, status, "runners", page{Title: "Runners", Nav: "runners", Error: f, Body: p})
}

func (d *dashboard) newRunner(w http.ResponseWriter, r *http.Request) {
	name := r.PostFormValue("name")
	_, secret, err := d.control.NewRunner(r.Context(), d.o.User(r).Name, name, nil, r.PostFormValue("single") != "")
	if err != nil {
		d.runnersWith(w, r, d.failureOf(r, err), runnersPage{})
		return
	}
	d.runnersWith(w, r, nil, runnersPage{Secret: secret, Name: name})
}

func (d *dashboard) rotate(w http.ResponseWriter, r *http.Request) {
	id := blaise.RunnerID(r.PathValue("id"))
	made, secret, err := d.control.RotateToken(r.Context(), d.o.User(r).Name, id, control.Overlap)
	if err != nil {
		d.runnersWith(w, r, d.failureOf(r, err), runnersPage{})
		return
	}
	d.runnersWith(w, r, nil, runnersPage{Secret: secret, Name: made.Name})
}

func (d *dashboard) revoke(w http.ResponseWriter, r *http.Request) {
	id := blaise.RunnerID(r.PathValue("id"))
	by := d.o.User(r).Name
	var err error
	if r.PostFormValue("after") == "drain" {
		err = d.control.RevokeAfterDrain(r.Context(), by, id, control.DrainTimeout)
	} else {
		err = d.control.RevokeRunner(r.Context(), by, id)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	done(w, r, "/runners")
}
