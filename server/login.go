package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

func (s *Server) loginRoutes() {
	handle(s, route{
		id: "login", method: http.MethodPost, path: "/api/login", kind: kindNone,
		says: "Exchange the code of a sign-in link for a token, once",
	}, s.login)
	handle(s, route{
		id: "login-link", method: http.MethodPost, path: "/api/login/link", user: control.RoleViewer,
		says: "Make a link that signs one browser or terminal in, once",
	}, s.loginLink)
	handle(s, route{
		id: "me", method: http.MethodGet, path: "/api/me", user: control.RoleViewer, says: "Who the token belongs to",
	}, func(ctx context.Context, _ *struct{}) (api.Me, error) {
		u := callerOf(ctx).user
		return api.Me{Name: u.Name, Role: string(u.Role), Version: s.o.Version}, nil
	})
}

func (s *Server) login(ctx context.Context, in *struct{ Body api.Login }) (api.LoggedIn, error) {
	token, u, err := s.byCode(ctx, in.Body.Code, "terminal")
	return api.LoggedIn{Token: token, Name: u.Name, Role: string(u.Role)}, err
}

// byCode signs in with the code of a link.
func (s *Server) byCode(ctx context.Context, code, label string) (token string, u control.User, err error) {
	err = s.limit.try(ctx, func() error {
		token, u, err = s.control.Login(ctx, code, label, addressOf(ctx))
		return err
	})
	return token, u, s.notSignedIn(ctx, "", err)
}

// notSignedIn keeps in the record that somebody was not signed in, and answers
// why. Who is asked to wait was kept when they tried.
func (s *Server) notSignedIn(ctx context.Context, who string, err error) error {
	var p *problem
	if err == nil || blaise.CodeOf(err) != blaise.CodeDenied || errors.As(err, &p) {
		return err
	}
	if kerr := s.control.SignInFailed(ctx, who, addressOf(ctx), err); kerr != nil {
		s.log.Error("failed sign-in not kept in the audit record", "error", kerr)
	}
	return err
}

// addressOf is where a request comes from, in words.
func addressOf(ctx context.Context) string {
	if at := peerOf(ctx).addr; at.IsValid() {
		return at.String()
	}
	return "this machine"
}

func (s *Server) loginLink(ctx context.Context, _ *struct{}) (api.Link, error) {
	code, err := s.control.NewLoginCode(ctx, callerOf(ctx).user)
	return api.Link{URL: LoginURL(s.o.URL, code), Code: code}, err
}

// LoginURL is the link that signs a browser in with a code.
func LoginURL(base, code string) string {
	return strings.TrimRight(base, "/") + "/login?code=" + url.QueryEscape(code)
}

// LeadsHere says that a link leads to the machine alone on which it is opened.
func LeadsHere(link string) bool {
	u, err := url.Parse(link)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// loginPage takes the code of a link, gives the browser its cookie and sends it
// on. It goes on by a page and not by a redirect: a Strict cookie does not go
// along with a redirect that began on another site.
func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	code := r.URL.Query().Get("code")
	if code == "" || r.Method != http.MethodGet || prefetch(r) {
		s.loginAnswer(w, http.StatusUnauthorized, loginView{})
		return
	}
	if led(r) {
		s.loginAnswer(w, http.StatusOK, loginView{Go: r.URL.RequestURI()})
		return
	}
	token, _, err := s.byCode(r.Context(), code, "browser")
	if err != nil {
		s.loginFailed(w, r, err)
		return
	}
	s.enter(w, r, token, onward(r))
}

var sessionID = regexp.MustCompile(`^[0-9a-z]{1,16}$`)

// onward is where a browser goes that a link has signed in: to the session that
// the link names, else to all of them. It is never a place that the link could
// choose.
func onward(r *http.Request) string {
	if id := r.URL.Query().Get("session"); sessionID.MatchString(id) {
		return "/sessions/" + id
	}
	return "/"
}

// enter gives a browser the cookie of a new token, ends what it was signed in
// with, and has it go on to a page of ours.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, token, next string) {
	if old, byCookie := tokenOf(r); byCookie {
		if err := s.control.Logout(r.Context(), old); err != nil {
			s.log.Error("earlier sign-in not ended", "error", err) // it ends by itself
		}
	}
	http.SetCookie(w, s.cookie(r, token, int(control.SignedIn.Seconds())))
	s.loginAnswer(w, http.StatusOK, loginView{In: next})
}

// prefetch says that nobody has followed the link yet: a preview must not use
// the code up.
func prefetch(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch")
}

// led says that a page of another site sent the browser here: it must not sign
// somebody in as somebody else unseen.
func led(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return true
}

func (s *Server) cookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
		Secure:   peerOf(r.Context()).https,
	}
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if err := sameOrigin(r); err != nil {
		s.refuse(w, r, err)
		return
	}
	if token, byCookie := tokenOf(r); byCookie {
		if err := s.control.Logout(r.Context(), token); err != nil {
			s.refuse(w, r, err)
			return
		}
	}
	http.SetCookie(w, s.cookie(r, "", -1))
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// signedIn lets signed-in users through to the pages, and all to their static
// parts.
func (s *Server) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/static/") || r.URL.Path == "/favicon.ico" {
			next.ServeHTTP(w, r)
			return
		}
		c, err := s.admit(r, kindUser)
		if err != nil {
			s.loginFailed(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}
