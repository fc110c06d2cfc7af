package server

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"blaise.dev/blaise/internal/provider"
)

// flowLife is how long a person may take to sign in at the provider.
const flowLife = 10 * time.Minute

// toProvider sends a browser to the provider to sign in.
func (s *Server) toProvider(w http.ResponseWriter, r *http.Request) {
	if s.o.Provider == nil {
		s.unknown(w, r)
		return
	}
	to, f, err := s.o.Provider.Begin(r.Context(), s.callback())
	if err != nil {
		s.loginFailed(w, r, err)
		return
	}
	http.SetCookie(w, s.flowCookie(r, url.Values{
		"state": {f.State}, "nonce": {f.Nonce}, "verifier": {f.Verifier}, "next": {own(r.URL.Query().Get("next"))},
	}.Encode(), int(flowLife.Seconds())))
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// fromProvider signs in the browser that comes back. The state in its cookie
// says that it is the one that went.
func (s *Server) fromProvider(w http.ResponseWriter, r *http.Request) {
	if s.o.Provider == nil {
		s.unknown(w, r)
		return
	}
	kept := url.Values{}
	if c, err := r.Cookie(s.flowCookie(r, "", 0).Name); err == nil {
		kept, _ = url.ParseQuery(c.Value) // one that cannot be read has no state
	}
	http.SetCookie(w, s.flowCookie(r, "", -1)) // it is good for once
	f := provider.Flow{State: kept.Get("state"), Nonce: kept.Get("nonce"), Verifier: kept.Get("verifier")}
	var token, who string
	err := s.limit.ask(r.Context(), func() error {
		p, err := s.o.Provider.End(r.Context(), s.callback(), f, r.URL.Query())
		if err != nil {
			return err
		}
		who = p.Name
		token, _, err = s.control.SignIn(r.Context(), p, "browser", addressOf(r.Context()))
		return err
	})
	if err != nil {
		s.log.Info("nobody signed in by the provider", "error", err)
		s.loginFailed(w, r, s.notSignedIn(r.Context(), who, err))
		return
	}
	s.enter(w, r, token, own(kept.Get("next")))
}

// callback is where the provider sends browsers back to.
func (s *Server) callback() string { return s.at("/login/callback") }

// at is the address of a page as people reach it. A browser that is to keep a
// cookie for its way to the provider and back must begin there.
func (s *Server) at(path string) string { return strings.TrimRight(s.o.URL, "/") + path }

// flowCookie is what a browser keeps while it is at the provider. It is Lax: a
// Strict one does not come along when another site sends the browser.
func (s *Server) flowCookie(r *http.Request, value string, age int) *http.Cookie {
	c := s.cookie(r, value, age)
	c.Name, c.Path, c.SameSite = c.Name+"_flow", "/login", http.SameSiteLaxMode
	return c
}

// own is an address of a page of ours, else that of the first.
func own(next string) string {
	if u, err := url.Parse(next); err == nil && u.Host == "" && u.Scheme == "" &&
		strings.HasPrefix(next, "/") && !strings.HasPrefix(next, "//") && !strings.ContainsAny(next, "\\\r\n\t") &&
		!signsIn(u.Path) {
		return next
	}
	return "/"
}

// signsIn says that a page may sign the browser in as somebody else: only a
// person goes there, who has not just been sent. That of terminals asks.
func signsIn(p string) bool {
	p = path.Clean(p)
	return p == "/login" || strings.HasPrefix(p, "/login/") && p != "/login/terminal"
}
