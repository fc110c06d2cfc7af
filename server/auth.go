package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// A kind is a kind of token: each opens its own routes and no other.
type kind string

const (
	kindNone   kind = ""
	kindRunner kind = "runner"
	kindRun    kind = "run"
	kindUser   kind = "user"
)

func (k kind) words() string {
	switch k {
	case kindRunner:
		return "the token of a runner (" + control.RunnerPrefix + "...), from `blaise token create`"
	case kindRun:
		return "the lease token of a run (" + control.LeasePrefix + "...), from the accept"
	case kindUser:
		return "the token of a user (" + control.UserPrefix + "...), from `blaise login` or `blaise token personal create`"
	}
	return "no token"
}

func kindOf(token string) kind {
	switch {
	case strings.HasPrefix(token, control.RunnerPrefix):
		return kindRunner
	case strings.HasPrefix(token, control.LeasePrefix):
		return kindRun
	case strings.HasPrefix(token, control.UserPrefix):
		return kindUser
	}
	return kindNone
}

// A caller is who a token belongs to; which field counts follows from the
// kind.
type caller struct {
	runner store.Runner
	run    blaise.Run
	user   control.User

	operation, session string // what the request is, for the log
}

// about is what the log says of a request: whom it came from, and what it is
// of.
func about(ctx context.Context) []any {
	c := callerOf(ctx)
	var said []any
	for _, a := range []struct{ key, value string }{
		{"operation", c.operation}, {"session", c.session}, {"run", string(c.run.ID)},
		{"runner", string(c.runner.ID)}, {"user", c.user.Name},
	} {
		if a.value != "" {
			said = append(said, a.key, a.value)
		}
	}
	return said
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// UserOf is the signed-in user of a request that came to the dashboard.
func UserOf(r *http.Request) control.User { return callerOf(r.Context()).user }

// authenticate lets a request in whose token is of the kind that its operation
// names.
func (s *Server) authenticate(ctx huma.Context, next func(huma.Context)) {
	want, role := needs(ctx.Operation())
	if want == kindNone {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	c, err := s.admit(r, want)
	if err == nil && want == kindUser {
		err = c.user.May(strings.ReplaceAll(ctx.Operation().OperationID, "-", " "), role)
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	c.operation, c.session = ctx.Operation().OperationID, ctx.Param("id")
	next(huma.WithValue(ctx, callerKey{}, c))
}

// needs says whose token opens an operation, and what a user needs to be.
func needs(op *huma.Operation) (k kind, role control.Role) {
	for _, scheme := range op.Security {
		for name, roles := range scheme {
			k = kind(name)
			for _, r := range roles {
				role = control.Role(r)
			}
		}
	}
	return k, role
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(r.Context(), s.log, err)
	hangUp(w, r)
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="blaise"`)
	}
	p.write(w)
}

// admit finds the caller of a request that needs a token of a kind.
func (s *Server) admit(r *http.Request, want kind) (caller, error) {
	token, byCookie := tokenOf(r)
	if token == "" {
		p := denied(http.StatusUnauthorized, "%s %s needs %s", r.Method, r.URL.Path, want.words())
		p.Hint = "send it as `Authorization: Bearer TOKEN`"
		return caller{}, p
	}
	if got := kindOf(token); got != want {
		if got == kindNone {
			return caller{}, denied(http.StatusUnauthorized, "the token is of no kind that Blaise makes")
		}
		return caller{}, denied(http.StatusForbidden, "%s %s needs %s, and got a %s's token",
			r.Method, r.URL.Path, want.words(), got)
	}
	if byCookie {
		if err := sameOrigin(r); err != nil {
			return caller{}, err
		}
	}
	if want != kindUser {
		if err := s.checkProtocol(r); err != nil {
			return caller{}, err
		}
	}
	return s.lookUp(r.Context(), want, token)
}

func (s *Server) lookUp(ctx context.Context, k kind, token string) (c caller, err error) {
	switch k {
	case kindRunner:
		err = s.limit.try(ctx, func() error {
			c.runner, err = s.control.ByRunnerToken(ctx, token)
			return err
		})
	case kindRun: // a run must hear that it is to stop, whoever shares its address
		c.run, err = s.control.ByLease(ctx, token)
	default:
		err = s.limit.try(ctx, func() error {
			c.user, err = s.control.ByUserToken(ctx, token)
			return err
		})
	}
	if err != nil && blaise.CodeOf(err) == blaise.CodeDenied {
		p := problemOf(ctx, s.log, err)
		p.Status, p.Title = http.StatusUnauthorized, http.StatusText(http.StatusUnauthorized)
		return c, p
	}
	return c, err
}

func tokenOf(r *http.Request) (token string, byCookie bool) {
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, token, _ := strings.Cut(h, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", false
		}
		return strings.TrimSpace(token), false
	}
	if c, err := r.Cookie(cookieName(r)); err == nil {
		return c.Value, true
	}
	return "", false
}

// cookieName carries the port: browsers keep cookies apart by host alone, and
// two Blaise on one machine must not sign each other out.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "blaise_session_" + port
	}
	return "blaise_session"
}

// oldestProtocol is the one before api.Protocol, where there is one.
var oldestProtocol = max(1, api.Protocol-1)

func (s *Server) checkProtocol(r *http.Request) error {
	h := r.Header.Get(api.HeaderProtocol)
	if h == "" {
		return nil
	}
	n, err := strconv.Atoi(h)
	if err != nil {
		return blaise.Errorf(blaise.CodeInvalid, "header %s is %q, no number", api.HeaderProtocol, h)
	}
	return s.protocol(n, r.Header.Get(api.HeaderVersion))
}

// protocol refuses a peer whose protocol is not served.
func (s *Server) protocol(n int, version string) error {
	if n >= oldestProtocol && n <= api.Protocol {
		return nil
	}
	served := strconv.Itoa(api.Protocol)
	if oldestProtocol != api.Protocol {
		served = fmt.Sprintf("%d and %d", oldestProtocol, api.Protocol)
	}
	older := "the runner"
	if n > api.Protocol {
		older = "Blaise"
	}
	return blaise.Errorf(blaise.CodeInvalid, "the runner (version %s) speaks protocol %d; Blaise (version %s) serves %s",
		orUnknown(version), n, orUnknown(s.o.Version), served).WithHint("upgrade %s", older)
}

func orUnknown(v string) string {
	if v == "" {
		return "unknown"
	}
	return v
}
