package dashboard

import (
	"context"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

func (d *dashboard) act(w http.ResponseWriter, r *http.Request) {
	id := blaise.SessionID(r.PathValue("id"))
	for _, x := range deeds {
		switch {
		case x.Name != r.PathValue("act"):
		case x.Delete:
			d.delete(w, r, id, x)
			return
		default:
			d.did(w, r, d.do(r, id, x))
			return
		}
	}
	d.fail(w, r, blaise.Errorf(blaise.CodeNotFound, "there is no act %q", r.PathValue("act")))
}

// Admin says that only an administrator may do it.
func (x deed) Admin() bool {
	return x.Delete || control.RoleFor(blaise.Event{Kind: x.Kind}) == control.RoleAdmin
}

// delete leads to the list: the session has no page any more.
func (d *dashboard) delete(w http.ResponseWriter, r *http.Request, id blaise.SessionID, x deed) {
	user := d.o.User(r)
	err := user.May(x.Label, control.RoleAdmin)
	if err == nil && r.PostFormValue("sure") == "" {
		err = blaise.Errorf(blaise.CodeInvalid, "nothing was deleted").WithHint("tick that you are sure")
	}
	if err == nil {
		_, err = d.control.Delete(r.Context(), user.Name, id, r.PostFormValue("reason"), r.PostFormValue("drop-work") != "")
	}
	if err != nil {
		d.did(w, r, err)
		return
	}
	done(w, r, "/")
}

func (d *dashboard) do(r *http.Request, id blaise.SessionID, x deed) error {
	user := d.o.User(r)
	e := blaise.Event{
		Kind: x.Kind, By: user.Name, Reason: r.PostFormValue("reason"),
		Force: r.PostFormValue("force") != "", Run: blaise.RunID(r.PostFormValue("run")),
	}
	if err := user.May(x.Label, control.RoleFor(e)); err != nil {
		return err
	}
	return d.control.Act(r.Context(), id, e)
}

// did answers a form of a session's page.
func (d *dashboard) did(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		done(w, r, "/sessions/"+r.PathValue("id"))
		return
	}
	f := d.failureOf(r, err)
	if scripted(r) || f.Status == http.StatusNotFound || f.Status == http.StatusForbidden {
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
