package server

import (
	"context"
	"net/http"
	"strings"

	"blaise.dev/blaise/control"
)

// A bareRoute is one beside the API: it answers something else than JSON.
type bareRoute struct {
	pattern string
	kind    kind         // whose tokens open it; kindNone for all the world
	user    control.Role // what a user needs to be
	do      http.HandlerFunc
}

func (s *Server) bareRoutes() []bareRoute {
	return []bareRoute{
		{"GET /livez", kindNone, "", s.livez},
		{"GET /readyz", kindNone, "", s.readyz},
		{"GET /statusz", kindUser, control.RoleViewer, s.statusz},
		{"GET /metrics", kindUser, control.RoleViewer, s.metrics},
		{"GET /docs", kindNone, "", s.docsRoute},
		{"GET /login", kindNone, "", s.loginPage},
		{"GET /login/provider", kindNone, "", s.toProvider},
		{"GET /login/callback", kindNone, "", s.fromProvider},
		{"GET /login/terminal", kindUser, control.RoleViewer, s.terminalPage},
		{"POST /login/terminal", kindUser, control.RoleViewer, s.terminalSignIn},
		{"POST /logout", kindNone, "", s.logout},
		{"GET /api/sessions/{id}/shell", kindUser, control.RoleMember, s.shell},
		{"GET /api/run/shells/{key}", kindRun, "", s.joinShell},
	}
}

// door lets those through whom a bare route is for.
func (s *Server) door(b bareRoute) http.HandlerFunc {
	if b.kind == kindNone {
		return b.do
	}
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.admit(r, b.kind)
		if err == nil && b.kind == kindUser {
			err = c.user.May(r.URL.Path, b.user)
		}
		switch {
		case err != nil && strings.HasPrefix(r.URL.Path, "/login/"): // a person is asked to sign in
			s.loginFailed(w, r, err)
			return
		case err != nil:
			s.refuse(w, r, err)
			return
		}
		b.do(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	}
}
