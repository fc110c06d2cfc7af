package dashboard

import (
	"context"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// A deed is one thing a person may do with a session. Says tells beforehand
// what it will do.
type deed struct {
	Name, Label, Says string
	Kind              blaise.EventKind
	Reason            bool // one is needed
	Force             bool // may be forced
	Danger            bool
	when              func(panel) bool
}

// deeds are all of them, in the order of the page.
var deeds = []deed{
	{
		Name: "cancel", Label: "Cancel turn", Kind: blaise.EventCancelAsked,
		Says: "The agent is told to stop what it does in this turn. The session goes on with the next message.",
		when: func(p panel) bool { return p.S.State == blaise.SessionWorking || p.S.State == blaise.SessionParked },
	},
	{
		Name: "pause", Label: "Pause", Kind: blaise.EventPauseAsked,
		Says: "The run saves the work, stops the agent and exits; the environment is kept. The next message wakes it.",
		when: func(p panel) bool { return alive(p) },
	},
	{
		Name: "retry", Label: "Retry", Kind: blaise.EventRetryAsked,
		Says: "Another run is offered at once for the messages that wait.",
		when: func(p panel) bool { return p.S.State == blaise.SessionQueued || p.S.State == blaise.SessionPaused },
	},
	{
		Name: "retry-teardown", Label: "Retry teardown", Kind: blaise.EventTeardownRetry, Force: true,
		Says: "A new series of tries begins to destroy what the plugs made. Forced, it goes on where the work cannot be saved: that work is lost.",
		when: func(p panel) bool {
			return p.S.Environment.State == blaise.EnvOrphaned || p.S.Environment.State == blaise.EnvTeardownWaiting
		},
	},
	{
		Name: "mark-destroyed", Label: "Mark destroyed", Kind: blaise.EventMarkDestroyed, Reason: true, Danger: true,
		Says: "Blaise takes your word that nothing is left of the environment, and never looks for it again.",
		when: func(p panel) bool {
			return p.S.Environment.LeftBehind != "" && (p.S.Environment.State.Final() ||
				p.S.Environment.State == blaise.EnvOrphaned || p.S.Environment.State == blaise.EnvLost)
		},
	},
	{
		Name: "release", Label: "Release", Kind: blaise.EventReleased,
		Says: "The clocks go on where they stood, and runs are offered again.",
		when: func(p panel) bool { return p.S.Held },
	},
	{
		Name: "hold", Label: "Hold", Kind: blaise.EventHeld,
		Says: "Every clock and every new run stops until somebody releases the session; a live run is paused.",
		when: func(p panel) bool { return !p.S.Held && p.S.State != blaise.SessionEnded },
	},
	{
		Name: "end", Label: "End session", Kind: blaise.EventEndAsked, Danger: true, Force: true,
		Says: "The work is saved, the agent is stopped, and everything the plugs made is destroyed. The session takes no more messages.",
		when: func(p panel) bool { return p.S.State != blaise.SessionEnded },
	},
}

func alive(p panel) bool {
	switch p.S.State {
	case blaise.SessionWorking, blaise.SessionParked, blaise.SessionIdle:
		return true
	}
	return false
}

// Deeds are those that the state allows.
func (p panel) Deeds() []deed {
	var list []deed
	for _, d := range deeds {
		if d.when(p) {
			list = append(list, d)
		}
	}
	return list
}

func (d *dashboard) act(w http.ResponseWriter, r *http.Request) {
	id := blaise.SessionID(r.PathValue("id"))
	for _, x := range deeds {
		if x.Name == r.PathValue("act") {
			d.did(w, r, d.do(r, id, x))
			return
		}
	}
	d.fail(w, r, blaise.Errorf(blaise.CodeNotFound, "there is no act %q", r.PathValue("act")))
}

func (d *dashboard) do(r *http.Request, id blaise.SessionID, x deed) error {
	by, reason := d.o.User(r).Name, r.PostFormValue("reason")
	ctx := r.Context()
	force := r.PostFormValue("force") != ""
	switch {
	case x.Kind == blaise.EventEndAsked && force:
		return d.control.Discard(ctx, by, id, reason)
	case x.Kind == blaise.EventEndAsked:
		return d.control.End(ctx, by, id, reason)
	case x.Kind == blaise.EventPauseAsked:
		return d.control.Pause(ctx, by, id, reason)
	}
	return d.control.Act(ctx, id, blaise.Event{
		Kind: x.Kind, By: by, Reason: reason, Force: r.PostFormValue("force") != "",
	})
}

// did answers a form of a session's page.
func (d *dashboard) did(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		done(w, r, "/sessions/"+r.PathValue("id"))
		return
	}
	f := d.failureOf(err)
	if scripted(r) || f.Status == http.StatusNotFound {
		d.fail(w, r, err)
		return
	}
	d.sessionWith(w, r, f.Status, f, r.PostFormValue("text"))
}

// formMost bounds a form: a message of the longest kind, and what is around it.
const formMost = control.MaxMessage + blaise.MaxAttached + 1<<20

func (d *dashboard) post(w http.ResponseWriter, r *http.Request) {
	if err := readForm(r); err != nil {
		d.did(w, r, err)
		return
	}
	files, err := filesOf(r)
	if err == nil {
		_, err = d.control.Post(r.Context(), d.o.User(r).Name, blaise.SessionID(r.PathValue("id")), control.Post{
			Text: r.PostFormValue("text"), Key: r.PostFormValue("key"), Now: r.PostFormValue("now") != "",
			Files: files,
		})
	}
	d.did(w, r, err)
}

// readForm reads a form that may hold a long text.
func readForm(r *http.Request) error {
	if err := r.ParseMultipartForm(formMost); err != nil && err != http.ErrNotMultipart {
		return err
	}
	return r.ParseForm()
}

func (d *dashboard) withdraw(w http.ResponseWriter, r *http.Request) {
	d.did(w, r, d.control.Act(r.Context(), blaise.SessionID(r.PathValue("id")), blaise.Event{
		Kind: blaise.EventMessageWithdrawn, By: d.o.User(r).Name,
		Message: blaise.MessageID(r.PostFormValue("message")),
	}))
}

func (d *dashboard) answer(w http.ResponseWriter, r *http.Request) {
	d.did(w, r, d.decide(r.Context(), r))
}

func (d *dashboard) decide(ctx context.Context, r *http.Request) error {
	q := blaise.QuestionID(r.PostFormValue("question"))
	if string(q.Session()) != r.PathValue("id") {
		return blaise.Errorf(blaise.CodeNotFound, "question %q is not one of this session", q)
	}
	a := control.Decision{Choice: r.PostFormValue("choice")}
	if a.Choice == "" {
		a.Allow = new(bool)
	}
	if a.Choice == blaise.ChoiceAccept {
		a.Set = filled(r)
	}
	return d.control.Answer(ctx, d.o.User(r).Name, q, a)
}
