package server

import (
	"context"
	"net/http"
	"strings"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

func (s *Server) userRoutes() {
	handle(s, route{
		id: "list-users", method: http.MethodGet, path: "/api/users", user: control.RoleAdmin,
		says: "Who may sign in",
	}, s.listUsers)
	handle(s, route{
		id: "add-user", method: http.MethodPost, path: "/api/users", user: control.RoleAdmin,
		says: "Make a user, and a link that signs them in, once", status: http.StatusCreated,
	}, s.addUser)
	handle(s, route{
		id: "invite-user", method: http.MethodPost, path: "/api/users/{name}/link", user: control.RoleAdmin,
		says: "Make another link that signs a user in, once",
	}, func(ctx context.Context, in *UserPath) (api.Link, error) { return s.invite(ctx, in.Name) })
	act(s, route{
		id: "set-role", method: http.MethodPost, path: "/api/users/{name}/role", user: control.RoleAdmin,
		says: "Change what a user may do, at once",
	}, s.setRole)
	act(s, route{
		id: "remove-user", method: http.MethodDelete, path: "/api/users/{name}", user: control.RoleAdmin,
		says: "Forget a user and make all their tokens worthless",
	}, func(ctx context.Context, in *UserPath) error {
		return s.control.RemoveUser(ctx, callerOf(ctx).user.Name, in.Name)
	})
	act(s, route{
		id: "sign-out-user", method: http.MethodPost, path: "/api/users/{name}/sign-out", user: control.RoleAdmin,
		says: "End all browsers and terminals that a user is signed in with",
	}, func(ctx context.Context, in *UserPath) error {
		return s.control.SignOut(ctx, callerOf(ctx).user, in.Name)
	})
	act(s, route{
		id: "sign-out", method: http.MethodPost, path: "/api/me/sign-out", user: control.RoleViewer,
		says: "End all browsers and terminals that one is signed in with oneself",
	}, func(ctx context.Context, _ *struct{}) error {
		u := callerOf(ctx).user
		return s.control.SignOut(ctx, u, u.Name)
	})
	act(s, route{
		id: "logout", method: http.MethodPost, path: "/api/me/logout", user: control.RoleViewer,
		says: "End what the token was signed in with, and nothing else; a token for scripts goes on",
	}, func(ctx context.Context, in *struct {
		Token string `header:"Authorization" hidden:"true"`
	}) error {
		_, token, _ := strings.Cut(in.Token, " ")
		return s.control.Logout(ctx, strings.TrimSpace(token))
	})
	s.personalRoutes()
}

func (s *Server) personalRoutes() {
	handle(s, route{
		id: "list-personal-tokens", method: http.MethodGet, path: "/api/me/tokens", user: control.RoleViewer,
		says: "One's own tokens for scripts",
	}, s.personalTokens)
	handle(s, route{
		id: "create-personal-token", method: http.MethodPost, path: "/api/me/tokens", user: control.RoleViewer,
		says: "Make a token for a script, shown this once", status: http.StatusCreated,
	}, s.newPersonal)
	act(s, route{
		id: "revoke-personal-token", method: http.MethodDelete, path: "/api/me/tokens/{token}", user: control.RoleViewer,
		says: "Make one of one's own tokens worthless; by its id or name",
	}, func(ctx context.Context, in *struct {
		Token string `path:"token"`
	}) error {
		return s.control.RevokePersonal(ctx, callerOf(ctx).user.Name, in.Token)
	})
}

// A UserPath is the part of a route that names a user.
type UserPath struct {
	Name string `path:"name"`
}

func (s *Server) listUsers(ctx context.Context, _ *struct{}) ([]api.User, error) {
	return s.views.Users(ctx)
}

func (s *Server) addUser(ctx context.Context, in *struct{ Body api.NewUser }) (api.Link, error) {
	by := callerOf(ctx).user
	if err := by.MayLetIn(); err != nil {
		return api.Link{}, err
	}
	role, err := control.ParseRole(in.Body.Role)
	if err != nil {
		return api.Link{}, err
	}
	code, err := s.control.AddUser(ctx, by.Name, in.Body.Name, role)
	return api.Link{URL: LoginURL(s.o.URL, code), Code: code}, err
}

func (s *Server) invite(ctx context.Context, name string) (api.Link, error) {
	by := callerOf(ctx).user
	if err := by.MayLetIn(); err != nil {
		return api.Link{}, err
	}
	code, err := s.control.Invite(ctx, by.Name, name)
	return api.Link{URL: LoginURL(s.o.URL, code), Code: code}, err
}

func (s *Server) setRole(ctx context.Context, in *struct {
	UserPath
	Body api.UserRole
}) error {
	role, err := control.ParseRole(in.Body.Role)
	if err != nil {
		return err
	}
	return s.control.SetRole(ctx, callerOf(ctx).user.Name, in.Name, role)
}

func (s *Server) personalTokens(ctx context.Context, _ *struct{}) ([]api.PersonalToken, error) {
	return s.views.PersonalTokens(ctx, callerOf(ctx).user.Name)
}

// Users are those who may sign in.
func (v *Views) Users(ctx context.Context) ([]api.User, error) {
	list, err := v.control.Users(ctx)
	out := []api.User{}
	for _, u := range list {
		out = append(out, api.User{
			Name: u.Name, Role: u.Role, Provider: u.Subject != "", By: u.By, At: u.At, CreatedAt: u.CreatedAt,
		})
	}
	return out, err
}

// PersonalTokens are a user's tokens for scripts, without their secrets.
func (v *Views) PersonalTokens(ctx context.Context, name string) ([]api.PersonalToken, error) {
	list, err := v.control.PersonalTokens(ctx, name)
	out := []api.PersonalToken{}
	for _, t := range list {
		out = append(out, personalOf(t))
	}
	return out, err
}

func personalOf(t store.UserToken) api.PersonalToken {
	return api.PersonalToken{
		ID: t.ID, Name: t.Label, Scope: control.ScopeOf(control.Role(t.Scope)),
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt,
	}
}

func (s *Server) newPersonal(ctx context.Context, in *struct{ Body api.NewPersonalToken }) (api.PersonalToken, error) {
	b := in.Body
	t, secret, err := s.control.NewPersonal(ctx, callerOf(ctx).user,
		control.Personal{Label: b.Name, Scope: b.Scope, Life: b.Expires})
	out := personalOf(t)
	out.Secret = secret
	return out, err
}
