package dashboard

import (
	"context"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// An agentPage is one agent: its policy as a form and as YAML, who changed
// what, and which of its runs wait.
type agentPage struct {
	Name      blaise.AgentName
	State     string
	Manifest  string
	Settings  []setting
	Revisions []revision
	Work      string            // how many runs are at work, and wait
	Waiting   []control.Waiting // the first of those
	Behind    int               // as many more
	Applied   *control.Applied
	Dry       bool
}

// A revision is what somebody made of an agent.
type revision struct {
	N     int
	By    string
	At    time.Time
	State string
	Lines []diffLine // what changed in the manifest; none in the first
}

func (d *dashboard) agent(w http.ResponseWriter, r *http.Request) {
	d.agentWith(w, r, nil, agentPage{})
}

// agentWith shows an agent; a manifest that was sent is shown as it was sent.
func (d *dashboard) agentWith(w http.ResponseWriter, r *http.Request, f *failure, p agentPage) {
	ctx := r.Context()
	a, err := d.control.Agent(ctx, blaise.AgentName(r.PathValue("name")))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	p.Name, p.State = a.Name, a.State
	if p.Manifest == "" {
		if p.Manifest, err = control.ManifestYAML(a.Spec); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	if p.Settings, err = settingsOf(p.Manifest); err != nil { // of a manifest that is none
		p.Settings = settings
	}
	if err := d.aroundAgent(ctx, &p); err != nil {
		d.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if f != nil {
		status = f.Status
	}
	d.show(w, r, status, "agent", page{Title: "Agent " + string(a.Name), Nav: "agents", Error: f, Body: p})
}

// aroundAgent reads the history of an agent and its part of the queue.
func (d *dashboard) aroundAgent(ctx context.Context, p *agentPage) error {
	list, err := d.control.Revisions(ctx, p.Name)
	if err != nil {
		return err
	}
	texts := make([]string, len(list))
	for i, a := range list {
		if texts[i], err = control.ManifestYAML(a.Spec); err != nil {
			return err
		}
	}
	for i, a := range list {
		rev := revision{N: a.Revision, By: a.By, At: a.At, State: a.State}
		if i+1 < len(list) && texts[i] != texts[i+1] {
			rev.Lines = diff(texts[i+1], texts[i])
		}
		p.Revisions = append(p.Revisions, rev)
	}
	return d.queueOf(ctx, p)
}

// queueShown is how many of those that wait an agent's page lists.
const queueShown = 50

func (d *dashboard) queueOf(ctx context.Context, p *agentPage) error {
	all, err := d.views.Agents(ctx)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.Name == p.Name {
			p.Work = a.Work()
		}
	}
	p.Waiting, err = d.control.Standings(ctx, p.Name)
	if p.Behind = len(p.Waiting) - queueShown; p.Behind > 0 {
		p.Waiting = p.Waiting[:queueShown]
	} else {
		p.Behind = 0
	}
	return err
}

// setPolicy takes the form of the policy, or the manifest as YAML.
func (d *dashboard) setPolicy(w http.ResponseWriter, r *http.Request) {
	p := agentPage{Dry: r.PostFormValue("dry") != ""}
	text, err := d.manifestSent(r)
	if err == nil {
		p.Manifest = text
		var a control.Applied
		a, err = d.applied(r, text, p.Dry)
		p.Applied = &a
	}
	if err != nil {
		p.Applied = nil
		d.agentWith(w, r, d.failureOf(r, err), p)
		return
	}
	d.agentWith(w, r, nil, p)
}

// manifestSent is the manifest that a page of an agent sends: whole, or as
// settings to be put into the one that holds.
func (d *dashboard) manifestSent(r *http.Request) (string, error) {
	if text := r.PostFormValue("manifest"); text != "" {
		return text, nil
	}
	a, err := d.control.Agent(r.Context(), blaise.AgentName(r.PathValue("name")))
	if err != nil {
		return "", err
	}
	text, err := control.ManifestYAML(a.Spec)
	if err != nil {
		return "", err
	}
	return withSettings(text, r.PostForm)
}

// applied applies a manifest, which must be of the agent of the page, if there
// is one.
func (d *dashboard) applied(r *http.Request, text string, dry bool) (control.Applied, error) {
	m, err := control.ParseManifest([]byte(text))
	if err != nil {
		return control.Applied{}, err
	}
	if name := r.PathValue("name"); name != "" && name != string(m.Name) {
		return control.Applied{}, blaise.Errorf(blaise.CodeInvalid, "this is the manifest of agent %s, not of %s", m.Name, name).
			WithHint("apply it on the page of all agents, which makes new ones too")
	}
	return d.control.ApplyAgent(r.Context(), d.o.User(r).Name, m, dry)
}
