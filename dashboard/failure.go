package dashboard

import (
	"errors"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// A failure is an error as a person sees it.
type failure struct {
	Status  int
	Message string
	Hint    string
}

var statuses = map[blaise.Code]int{
	blaise.CodeInvalid: http.StatusBadRequest, blaise.CodeNotFound: http.StatusNotFound,
	blaise.CodeRefused: http.StatusConflict, blaise.CodeStale: http.StatusConflict,
	blaise.CodeUnreachable: http.StatusServiceUnavailable, blaise.CodeDenied: http.StatusForbidden,
}

func (d *dashboard) failureOf(r *http.Request, err error) *failure {
	var e *blaise.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &failure{
			Status: http.StatusRequestEntityTooLarge, Message: "That is more than Blaise takes at once.",
			Hint: "put long input into a file of the repository and name the file",
		}
	case errors.Is(err, control.ErrFull):
		d.o.Log.Error("page failed", "path", r.URL.Path, "session", r.PathValue("id"), "error", err)
		full := control.Full()
		return &failure{Status: statuses[full.Code], Message: full.Message, Hint: full.Hint}
	case errors.As(err, &e) && statuses[e.Code] != 0:
		return &failure{Status: statuses[e.Code], Message: e.Message, Hint: e.Hint}
	}
	d.o.Log.Error("page failed", "path", r.URL.Path, "session", r.PathValue("id"), "error", err)
	return &failure{
		Status: http.StatusInternalServerError, Message: "Blaise could not do it; its log says why.",
	}
}

// fail answers with an error: a fragment for the script, a page for people.
func (d *dashboard) fail(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		return
	}
	f := d.failureOf(r, err)
	if scripted(r) {
		d.failFragment(w, f)
		return
	}
	d.show(w, r, f.Status, "error", page{Title: http.StatusText(f.Status), Error: f})
}

func (d *dashboard) failFragment(w http.ResponseWriter, f *failure) {
	html, err := d.fragment("failure", f)
	if err != nil {
		d.o.Log.Error("error not rendered", "error", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(html)) // who asked is gone: nobody to tell
}

// scripted says that our script asked, and wants a fragment.
func scripted(r *http.Request) bool { return r.Header.Get("Blaise-Fragment") != "" }

// done answers a form: the script hears that it is done, a browser goes to the
// page that shows it.
func done(w http.ResponseWriter, r *http.Request, to string) {
	if scripted(r) {
		w.Header().Set("Blaise-Location", to)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
