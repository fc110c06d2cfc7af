package dashboard

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/hall"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// Views reads what is shown, in the words of package api.
type Views interface {
	Find(ctx context.Context, prefix string) (blaise.SessionID, error)
	Session(ctx context.Context, id blaise.SessionID) (api.Session, error)
	Fresh(ctx context.Context, id blaise.SessionID, since time.Time) (api.Session, error)
	Sessions(ctx context.Context, f api.SessionFilter) (api.Sessions, error)
	Page(ctx context.Context, f api.SessionFilter) (api.Sessions, error) // without counts
	Agents(ctx context.Context) ([]api.Agent, error)
	Runners(ctx context.Context) ([]api.Runner, error)
	Paused(ctx context.Context) ([]api.Paused, error)
	Leftovers(ctx context.Context) (api.Leftovers, error)
	Webhooks(ctx context.Context) ([]api.Webhook, error)
	Users(ctx context.Context) ([]api.User, error)
	PersonalTokens(ctx context.Context, user string) ([]api.PersonalToken, error)
	Audits(ctx context.Context, f api.AuditFilter) (api.Audits, error)
	Deliveries(ctx context.Context, w blaise.WebhookID, before blaise.DeliveryID, limit int) (api.Deliveries, error)
}

// Options are what a dashboard works with. Control, Views and User are
// required.
type Options struct {
	Control *control.Control
	Views   Views
	User    func(*http.Request) control.User // who is signed in
	Log     *slog.Logger
	URL     string // where people reach Blaise, for links to hand on
	Version string
	Now     func() time.Time
}

// A dashboard answers the pages.
type dashboard struct {
	o       Options
	control *control.Control
	views   Views
	pages   *template.Template
	stages  hall.Hall[stageKey, *stage]
	rolls   hall.Hall[api.SessionFilter, *roll]
}

// New returns the pages as a handler, for server.Options.Dashboard.
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &dashboard{o: o, control: o.Control, views: o.Views}
	d.pages = template.Must(template.New("").Funcs(d.functions()).ParseFS(templateFiles, "templates/*.html"))
	return d.routes()
}

func (d *dashboard) routes() http.Handler {
	static, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic("dashboard: static files: " + err.Error()) // they are embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", cached(http.StripPrefix("/static/", http.FileServerFS(static))))
	mux.Handle("GET /favicon.ico", cached(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, static, "icon.svg") // for who asks without having read the page
	})))
	for _, r := range d.table() {
		mux.HandleFunc(r.pattern, d.only(r))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.fail(w, r, blaise.Errorf(blaise.CodeNotFound, "there is no page %s", r.URL.Path))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := *r // net/http must find its own body in its own request
		inner.Body = http.MaxBytesReader(w, r.Body, formMost)
		mux.ServeHTTP(w, &inner)
	})
}

// cached lets browsers keep static files for a little while: the door has told
// them to keep nothing.
func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		next.ServeHTTP(w, r)
	})
}

// A page is what every page shows around its own.
type page struct {
	Title   string
	Nav     string
	User    string
	Role    control.Role // forms that it does not allow are not shown
	Version string
	Error   *failure
	Body    any
}

// show renders a whole page, or nothing of it.
func (d *dashboard) show(w http.ResponseWriter, r *http.Request, status int, name string, p page) {
	user := d.o.User(r)
	p.User, p.Role, p.Version = user.Name, user.Role, d.o.Version
	var b bytes.Buffer
	err := d.pages.ExecuteTemplate(writing(func(part []byte) (int, error) {
		if r.Context().Err() != nil {
			return 0, context.Cause(r.Context()) // ends the rendering
		}
		return b.Write(part)
	}), name, p)
	if r.Context().Err() != nil {
		return // who asked is gone: nobody to tell
	}
	if err != nil {
		d.o.Log.Error("page not rendered", "page", name, "error", err)
		http.Error(w, "this page cannot be shown; the log of Blaise says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // who asked is gone: nobody to tell
}

// A writing is a writer that is one function.
type writing func([]byte) (int, error)

// Write is what the function does.
func (w writing) Write(b []byte) (int, error) { return w(b) }

// fragment renders a part of a page.
func (d *dashboard) fragment(name string, v any) (string, error) {
	var b bytes.Buffer
	err := d.pages.ExecuteTemplate(&b, name, v)
	return b.String(), err
}
