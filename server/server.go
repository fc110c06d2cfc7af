package server

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/hall"
	"blaise.dev/blaise/internal/provider"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Options are what a server works with. Control is required.
type Options struct {
	Control   *control.Control
	Views     *Views       // made from Control when nil; share it with the dashboard
	Dashboard http.Handler // serves all that is not the API, to signed-in users; nil for none
	Log       *slog.Logger
	Meter     Meter // nil: nothing is measured
	Version   string
	URL       string // as users reach it; decides links and whether cookies are Secure
	// Loopback refuses every Host that is not a name of this machine's loopback
	// or in AllowedHosts, so that no web page can reach Blaise by a name of its
	// own (DNS rebinding). Without it the host of URL and AllowedHosts are
	// accepted, and any if both are empty.
	Loopback     bool
	AllowedHosts []string
	// TrustedProxies are believed what they say of whom they ask for, in
	// X-Forwarded-For and X-Forwarded-Proto.
	TrustedProxies []netip.Prefix
	// Provider signs people in beside links; nil for none.
	Provider *provider.Provider
	// KeepAlive is how often a silent stream gives a sign of life, 15 s.
	KeepAlive time.Duration
	// BodySilence is how long the sender of a body may be silent, one minute.
	BodySilence time.Duration
}

// A Server answers the API.
type Server struct {
	o       Options
	control *control.Control
	views   *Views
	log     *slog.Logger
	api     huma.API
	hosts   map[string]bool // nil: any
	docs    []byte
	shells  shells
	began   time.Time
	limit   *limiter

	followed hall.Hall[blaise.SessionID, *following]
}

// New returns the whole of Blaise as a handler.
func New(o Options) http.Handler {
	return newServer(o).handler()
}

func newServer(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Views == nil {
		o.Views = NewViews(o.Control)
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	if o.BodySilence == 0 {
		o.BodySilence = time.Minute
	}
	return &Server{
		o: o, control: o.Control, views: o.Views, log: o.Log, hosts: hostsOf(o), began: time.Now(), limit: newLimiter(),
	}
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	s.api = humago.New(mux, s.config())
	s.api.UseMiddleware(s.authenticate)
	s.runnerRoutes()
	s.inventoryRoutes()
	s.runRoutes()
	s.sessionRoutes()
	s.deletionRoutes()
	s.streamRoutes()
	s.fileRoutes()
	s.saveRoutes()
	s.agentRoutes()
	s.userRoutes()
	s.webhookRoutes()
	s.auditRoutes()
	s.loginRoutes()
	s.docs = docsPage(s.api.OpenAPI())

	for _, b := range s.bareRoutes() {
		mux.HandleFunc(b.pattern, s.door(b))
	}
	mux.HandleFunc("/api/", s.unknown)
	if s.o.Dashboard != nil {
		mux.Handle("/", s.signedIn(s.o.Dashboard))
	}
	return s.recovered(s.guarded(s.measured(mux)))
}

func (s *Server) config() huma.Config {
	useProblems()
	c := huma.DefaultConfig("Blaise", s.o.Version)
	c.Info.Description = "Sessions with coding agents: runs, environments, messages, questions. " +
		"docs/protocol.md describes the runner's side."
	c.DocsPath, c.SchemasPath = "", ""
	c.CreateHooks = nil                         // no $schema in bodies
	c.AllowAdditionalPropertiesByDefault = true // peers are of other versions
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{}
	for _, k := range []kind{kindRunner, kindRun, kindUser} {
		c.Components.SecuritySchemes[string(k)] = &huma.SecurityScheme{
			Type: "http", Scheme: "bearer", Description: k.words(),
		}
	}
	return c
}

// A route is what an operation needs beside its types.
type route struct {
	id     string
	method string
	path   string
	kind   kind         // whose tokens open it, if not a user's
	user   control.Role // what a user needs to be
	says   string
	limit  int64 // of the body in bytes, 1 MiB if 0
	loose  bool  // the body is checked by the handler alone
	status int
}

const defaultLimit = 1 << 20

func (r route) operation() huma.Operation {
	kind, roles := r.kind, []string{}
	if r.user != "" {
		kind, roles = kindUser, []string{string(r.user)}
	}
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.says, Tags: []string{string(kind)},
		MaxBodyBytes: defaultLimit + 1, SkipValidateBody: r.loose, DefaultStatus: r.status,
		// The connection's read deadline would outlive the body and cancel a
		// handler that waits; guarded sets one per read instead.
		BodyReadTimeout: -1,
		Errors:          []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict},
	}
	if r.kind == kindUser {
		panic("server: route " + r.id + " says what kind of token it needs, and not which role")
	}
	if r.limit > 0 {
		op.MaxBodyBytes = r.limit + 1
	}
	if kind != kindNone {
		op.Security = []map[string][]string{{string(kind): roles}}
	}
	return op
}
