package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
)

// unreadGrace is how long net/http may look for the rest of a body that the
// handler did not read: a refused one, mostly.
const unreadGrace = time.Second

// loopback are the names of this machine for itself.
var loopback = []string{"localhost", "127.0.0.1", "::1"}

func isLoopback(host string) bool { return slices.Contains(loopback, hostName(host)) }

// hostsOf are the names that the Host header may carry, nil for any.
func hostsOf(o Options) map[string]bool {
	hosts := map[string]bool{}
	for _, h := range o.AllowedHosts {
		hosts[hostName(h)] = true
	}
	if u, err := url.Parse(o.URL); err == nil && u.Host != "" {
		hosts[hostName(u.Host)] = true
	}
	if o.Loopback {
		for _, h := range loopback {
			hosts[h] = true
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	return hosts
}

// hostName is the host without port and brackets, in lower case.
func hostName(h string) string {
	if name, _, err := net.SplitHostPort(h); err == nil {
		h = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(h, "[]"), "."))
}

// guarded checks what holds for every request, and says to browsers how little
// a page of ours may do.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A copy: net/http must find its own body in its own request, or it takes
		// what is unread of a refused one for the next request.
		at := s.from(r)
		inner := *r.WithContext(context.WithValue(r.Context(), peerKey{}, at))
		b := &body{ReadCloser: r.Body, c: http.NewResponseController(w), silence: s.o.BodySilence}
		inner.Body = b
		if r.ContentLength != 0 { // -1: chunked
			b.within(b.silence)
			defer b.leave()
		}
		secure(w.Header())
		if at.https && !isLoopback(r.Host) { // on loopback it would bind what others serve there
			w.Header().Set("Strict-Transport-Security", "max-age=15552000")
		}
		probe := r.URL.Path == "/livez" || r.URL.Path == "/readyz" // they come by address
		if !probe && s.hosts != nil && !s.hosts[hostName(r.Host)] {
			p := denied(http.StatusMisdirectedRequest, "Blaise does not answer to the name %q", r.Host)
			hangUp(w, r)
			p.Hint = "use the address that Blaise printed, or start it with this name allowed"
			p.write(w)
			return
		}
		next.ServeHTTP(w, &inner)
	})
}

func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}

// sameOrigin refuses requests that change something, carry a cookie, and do
// not come from a page of ours. SameSite alone is not enough: another port of
// the same host is the same site.
func sameOrigin(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		if site == "same-origin" {
			return nil
		}
		return denied(http.StatusForbidden, "the request comes from another site (%s)", site)
	}
	origin := r.Header.Get("Origin")
	if u, err := url.Parse(origin); err == nil && u.Host != "" && u.Host == r.Host {
		return nil
	}
	return denied(http.StatusForbidden, "the request comes from another origin (%q)", origin)
}

// A body gives up on a sender that is silent, from before the first byte is
// read on. The deadline ends with the body and no sooner: after the body it would
// end the handler's context, and before, net/http itself reads on to the end,
// with nothing to stop it.
type body struct {
	io.ReadCloser
	c       *http.ResponseController
	silence time.Duration
	end     bool
}

func (b *body) within(d time.Duration) {
	_ = b.c.SetReadDeadline(time.Now().Add(d)) // not all writers can; then there is none
}

func (b *body) Read(p []byte) (int, error) {
	if !b.end {
		b.within(b.silence)
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.end {
		b.end = true
		_ = b.c.SetReadDeadline(time.Time{})
	}
	return n, err
}

// leave is for when the handler has returned: what it did not read, nobody will.
func (b *body) leave() {
	if !b.end {
		b.within(unreadGrace)
	}
}

// hangUp has the answer sent before the body of a refused request has come, and
// the connection closed after it.
func hangUp(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}

// recovered keeps one broken request from taking the process along.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			s.log.Error("request panicked", "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
			newProblem(blaise.Errorf(blaise.CodeInternal, "Blaise could not do it; its log says why")).write(w)
		}()
		next.ServeHTTP(w, r)
	})
}
