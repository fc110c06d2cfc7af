package server_test

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
)

// behindProxy trusts whatever comes from loopback, as tests do.
func behindProxy(o *server.Options) {
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// guess brings a wrong token until its address is asked to wait.
func (h *house) guess(header ...string) *http.Response {
	h.t.Helper()
	for n := range 100 {
		resp := h.request("GET", "/api/me", control.UserPrefix+strconv.Itoa(n), "", header...)
		if resp.StatusCode == http.StatusTooManyRequests {
			return resp
		}
		if resp.StatusCode != http.StatusUnauthorized {
			h.t.Fatalf("a wrong token: %s", resp.Status)
		}
	}
	h.t.Fatal("100 wrong tokens, and none was asked to wait")
	return nil
}

// TestGuessing: an address that brings wrong tokens is asked to wait with each
// further one. What is right is let in, seen before or not, and once as ever.
func TestGuessing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, behindProxy)
	fresh := h.as("mia", control.RoleMember)
	r := h.runner()
	link, err := h.user.LoginLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	code := `{"code":"` + link.Code + `"}`
	from := func(a string) []string { return []string{"X-Forwarded-For", a} }
	if resp := h.request("GET", "/api/me", h.token, "", from("192.0.2.1")...); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	resp := h.guess(from("192.0.2.1")...)
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || s < 1 || s > 2 {
		t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
	}
	runner := "/api/runner/offers?instance=a&boot=b"
	for _, c := range []struct {
		method, path, token, body, addr string
		want                            int
	}{
		{"GET", "/api/me", h.token, "", "192.0.2.1", http.StatusOK},
		{"GET", "/api/me", fresh, "", "192.0.2.1", http.StatusOK},
		{"POST", "/api/login", "", code, "192.0.2.1", http.StatusOK},
		{"POST", "/api/login", "", code, "192.0.2.1", http.StatusTooManyRequests}, // it is used up
		{"GET", runner, control.RunnerPrefix + "x", "", "192.0.2.1", http.StatusTooManyRequests},
		{"POST", "/api/login", "", `{"code":"blc_x"}`, "192.0.2.1", http.StatusTooManyRequests},
		{"GET", "/login?code=blc_x", "", "", "192.0.2.1", http.StatusTooManyRequests},
		{"GET", "/api/me", control.UserPrefix + "x", "", "::ffff:192.0.2.1", http.StatusTooManyRequests},
	} {
		resp := h.request(c.method, c.path, c.token, c.body, from(c.addr)...)
		limited := resp.Header.Get("Retry-After") != ""
		if resp.StatusCode != c.want || limited != (c.want == http.StatusTooManyRequests) {
			t.Errorf("%s %s from %s: %s, want %d", c.method, c.path, c.addr, resp.Status, c.want)
		}
	}
	if resp := h.request("GET", "/api/me", control.UserPrefix+"x", "", from("192.0.2.2")...); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("another address: %s", resp.Status)
	}
	if _, err := h.client(r.token.Secret).Offers(t.Context(), r.id, "b1", 1, 0); err != nil {
		t.Errorf("a runner of another address: %v", err)
	}
}

// TestGuessingWithIPv6: whoever has one address of a network of 64 bits has all.
func TestGuessingWithIPv6(t *testing.T) {
	t.Parallel()
	h := newHouse(t, behindProxy)
	h.guess("X-Forwarded-For", "2001:db8::1")
	for addr, want := range map[string]int{
		"2001:db8::2": http.StatusTooManyRequests, "2001:db8:0:1::1": http.StatusUnauthorized,
	} {
		resp := h.request("GET", "/api/me", control.UserPrefix+"x", "", "X-Forwarded-For", addr)
		if resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", addr, resp.Status, want)
		}
	}
}

// TestForwarded: a proxy is believed what it says if it is trusted, and then no
// more than that: what a client wrote before it counts for nothing.
func TestForwarded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.guess("X-Forwarded-For", "192.0.2.1")
	resp := h.request("GET", "/api/me", control.UserPrefix+"x", "", "X-Forwarded-For", "192.0.2.9")
	if resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the word of a proxy that is not trusted: %s", resp.Status)
	}
	h = newHouse(t, behindProxy)
	h.guess("X-Forwarded-For", "198.51.100.1, 192.0.2.1, 127.0.0.7")
	for forwarded, want := range map[string]int{
		"198.51.100.2, 192.0.2.1:4711": http.StatusTooManyRequests, "[2001:db8::7]:4711": http.StatusUnauthorized,
		"198.51.100.2, 192.0.2.1": http.StatusTooManyRequests, "192.0.2.1, 198.51.100.1": http.StatusUnauthorized,
	} {
		resp := h.request("GET", "/api/me", control.UserPrefix+"x", "", "X-Forwarded-For", forwarded)
		if resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", forwarded, resp.Status, want)
		}
	}
}

// TestSecureCookie: the cookie of a browser that has https goes over https
// alone, and the browser is told to use nothing else.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	host := func(o *server.Options) { o.AllowedHosts = []string{"blaise.example"} }
	https := func(o *server.Options) { o.URL = "https://blaise.example" }
	for name, c := range map[string]struct {
		house  []func(*server.Options)
		proto  string
		secure bool
	}{
		"http":              {[]func(*server.Options){host}, "", false},
		"untrusted proxy":   {[]func(*server.Options){host}, "https", false},
		"trusted proxy":     {[]func(*server.Options){host, behindProxy}, "https", true},
		"trusted with http": {[]func(*server.Options){host, behindProxy}, "http", false},
		"address of https":  {[]func(*server.Options){https}, "", true},
	} {
		h := newHouse(t, c.house...)
		link, err := h.user.LoginLink(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp := h.request("GET", "/login?code="+link.Code, "", "", "Host", "blaise.example", "X-Forwarded-Proto", c.proto)
		if len(resp.Cookies()) != 1 || resp.Cookies()[0].Secure != c.secure {
			t.Errorf("%s: %s, cookies %v", name, resp.Status, resp.Cookies())
		}
		if got := resp.Header.Get("Strict-Transport-Security") != ""; got != c.secure {
			t.Errorf("%s: Strict-Transport-Security %t", name, got)
		}
	}
}

// TestHeaders: every answer says how little a page of Blaise may do.
func TestHeaders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	type asked struct{ method, path, host string }
	all := []asked{{"GET", "/", ""}, {"GET", "/api/none", ""}, {"GET", "/", "evil.example"}}
	for _, op := range h.operations() {
		all = append(all, asked{op.Method, nobody.Replace(op.Path), ""})
	}
	for _, b := range server.BareRoutes() {
		method, path, _ := strings.Cut(b.Pattern, " ")
		all = append(all, asked{method, nobody.Replace(path), ""})
	}
	for _, a := range all {
		header := []string{}
		if a.host != "" {
			header = []string{"Host", a.host}
		}
		got := h.request(a.method, a.path, "", "", header...).Header
		for name, want := range map[string]string{
			"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY", "Permissions-Policy": "camera=()",
		} {
			if !strings.Contains(got.Get(name), want) {
				t.Errorf("%s %s: %s is %q", a.method, a.path, name, got.Get(name))
			}
		}
	}
}
