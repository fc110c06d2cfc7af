package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
)

func (h *house) request(method, path, token, body string, header ...string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.server.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	client := *h.server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// TestTokens tries every route with every kind of token: the routes come from
// the OpenAPI document, so that a new one cannot be forgotten.
func TestTokens(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start("hello")
	r := h.runner()
	l, _ := h.take(r)
	tokens := map[string]string{
		"": "", "user": h.token, "runner": r.token.Secret, "run": l.Token,
	}
	routes := 0
	for _, op := range h.operations() {
		routes++
		want := ""
		for _, s := range op.Security {
			for k := range s {
				want = k
			}
		}
		for kind, token := range tokens {
			if kind == want && (strings.HasSuffix(op.Path, "/stream") || strings.HasSuffix(op.Path, "/login")) {
				continue
			}
			resp := h.request(op.Method, nobody.Replace(op.Path), token, "{}")
			refused := resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
			if open := want == "" || kind == want; refused == open && op.Path != "/api/login" {
				t.Errorf("%s %s with a token of kind %q: %s, want kind %q", op.Method, op.Path, kind, resp.Status, want)
			}
		}
	}
	if routes < 40 {
		t.Errorf("%d routes tried", routes)
	}
}

func TestTokenOfAnotherHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, c := range []struct{ token, path string }{
		{control.UserPrefix + "x", "/api/sessions"},
		{control.RunnerPrefix + "x", "/api/runner/offers?instance=a&boot=b"},
		{"nonsense", "/api/sessions"},
	} {
		if resp := h.request("GET", c.path, c.token, ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s with %s: %s", c.path, c.token, resp.Status)
		}
	}
	_, err := h.client(control.LeasePrefix+"x").Beat(t.Context(), api.Beat{})
	code(t, err, blaise.CodeStale)
	r := h.runner()
	if err := h.user.RevokeToken(t.Context(), r.token.ID); err != nil {
		t.Fatal(err)
	}
	_, err = r.Offers(t.Context(), r.id, "b1", 1, 0)
	code(t, err, blaise.CodeDenied)
}

func TestHost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for host, want := range map[string]int{
		"127.0.0.1:1": 200, "localhost": 200, "[::1]:80": 200, "LOCALHOST.:8": 200,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest,
		"": 200,
	} {
		if host == "" {
			continue
		}
		if resp := h.request("GET", "/api/sessions", h.token, "", "Host", host); resp.StatusCode != want {
			t.Errorf("host %s: %s, want %d", host, resp.Status, want)
		}
	}
	if resp := h.request("GET", "/livez", "", "", "Host", "10.0.0.7"); resp.StatusCode != 200 {
		t.Errorf("a probe by address: %s", resp.Status)
	}
	told := newHouse(t, func(o *server.Options) { o.AllowedHosts = []string{"blaise.lan"} })
	if resp := told.request("GET", "/api/sessions", told.token, "", "Host", "blaise.lan:80"); resp.StatusCode != 200 {
		t.Errorf("an allowed host: %s", resp.Status)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(o *server.Options) {
		o.Dashboard = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("hello " + server.UserOf(r).Name))
		})
	})
	link, err := h.user.LoginLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	path := u.RequestURI()
	if resp := h.request("GET", path, "", "", "Sec-Purpose", "prefetch"); len(resp.Cookies()) != 0 {
		t.Error("a prefetch used the link")
	}
	first := h.request("GET", path, "", "")
	if first.StatusCode != 200 || len(first.Cookies()) != 1 {
		t.Fatalf("the link answers %s with %d cookies", first.Status, len(first.Cookies()))
	}
	c := first.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("cookie %+v", c)
	}
	if again := h.request("GET", path, "", ""); again.StatusCode != http.StatusForbidden || len(again.Cookies()) != 0 {
		t.Errorf("the link used twice: %s", again.Status)
	}
	cookie := c.Name + "=" + c.Value
	if got := body(t, h.request("GET", "/", "", "", "Cookie", cookie)); got != "hello ann" {
		t.Errorf("got %q", got)
	}
	if resp := h.request("GET", "/", "", ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the cookie: %s", resp.Status)
	}
	t.Run("a cookie changes nothing from another origin", func(t *testing.T) {
		for _, header := range [][]string{
			{}, {"Origin", "http://127.0.0.1:1"}, {"Origin", "null"}, {"Sec-Fetch-Site", "same-site"},
			{"Sec-Fetch-Site", "cross-site"},
		} {
			resp := h.request("POST", "/x", "", "", append(header, "Cookie", cookie)...)
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%v: %s", header, resp.Status)
			}
			resp = h.request("POST", "/api/tokens", "", `{"name":"x"}`, append(header, "Cookie", cookie)...)
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("api, %v: %s", header, resp.Status)
			}
		}
		ok := h.request("POST", "/x", "", "", "Cookie", cookie, "Origin", h.server.URL)
		if ok.StatusCode != 200 {
			t.Errorf("our own origin: %s", ok.Status)
		}
	})
	h.request("POST", "/logout", "", "", "Cookie", cookie, "Origin", h.server.URL)
	if resp := h.request("GET", "/", "", "", "Cookie", cookie); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after signing out: %s", resp.Status)
	}
}

func TestLoginOfATerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	link, err := h.user.LoginLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, err := h.client("").Login(t.Context(), link.Code)
	if err != nil {
		t.Fatal(err)
	}
	if me, err := h.client(in.Token).Me(t.Context()); err != nil || me.Name != in.Name {
		t.Errorf("%+v, %v", me, err)
	}
	_, err = h.client("").Login(t.Context(), link.Code)
	code(t, err, blaise.CodeDenied)
}

func TestProblems(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.user.Session(t.Context(), "zzzzzzzz")
	code(t, err, blaise.CodeNotFound)
	_, err = h.user.StartSession(t.Context(), api.StartSession{Agent: "demo", Text: "  "})
	code(t, err, blaise.CodeInvalid)
	if e, ok := err.(*blaise.Error); !ok || e.Hint == "" {
		t.Errorf("no hint in %#v", err)
	}
	_, err = h.user.StartSession(t.Context(), api.StartSession{Agent: "nobody", Text: "x"})
	code(t, err, blaise.CodeNotFound)
	p := h.start("hello")
	code(t, h.user.Release(t.Context(), p.Session), blaise.CodeRefused)
	_, err = h.user.Sessions(t.Context(), api.SessionFilter{State: "asleep"})
	code(t, err, blaise.CodeInvalid)
	_, err = h.user.ApplyAgent(t.Context(), []byte("apiVersion: blaise.dev/v1\nkind: Agent\nbogus: 1\n"), false)
	code(t, err, blaise.CodeInvalid)

	resp := h.request("GET", "/api/nonsense", h.token, "")
	if resp.StatusCode != 404 || resp.Header.Get("Content-Type") != api.ProblemType {
		t.Errorf("%s %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	resp = h.request("POST", "/api/sessions", h.token, "{", "Content-Type", "application/json")
	if got := body(t, resp); resp.StatusCode != 400 || !strings.Contains(got, `"code":"invalid"`) {
		t.Errorf("%s %s", resp.Status, got)
	}
	resp = h.request("POST", "/api/sessions/"+string(p.Session)+"/hold", h.token, `{"reason":"`+strings.Repeat("x", 2<<20)+`"}`)
	if got := body(t, resp); resp.StatusCode != 413 || !strings.Contains(got, "too large") {
		t.Errorf("%s %s", resp.Status, got)
	}
	if got := resp.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") {
		t.Errorf("policy %q", got)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	c := api.NewClient(s.URL, "", api.ClientOptions{})
	_, err := c.Me(t.Context())
	code(t, err, blaise.CodeNotFound) // something else lives there
	s.Close()
	_, err = c.Me(t.Context())
	code(t, err, blaise.CodeUnreachable)
	if !strings.HasPrefix(err.Error(), "cannot reach Blaise at "+s.URL) {
		t.Error(err)
	}
}

func TestProtocol(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.runner()
	_, err := r.Hello(t.Context(), api.Hello{Instance: "i", Boot: "b", Protocol: 9, Version: "3.0"})
	code(t, err, blaise.CodeInvalid)
	for _, want := range []string{"protocol 9", "3.0", "serves 1", "test"} {
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	resp := h.request("GET", "/api/runner/offers?instance=i1&boot=b1", r.token.Secret, "", api.HeaderProtocol, "0")
	if resp.StatusCode != 400 {
		t.Errorf("an old protocol: %s", resp.Status)
	}
}

func TestLongMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	text := strings.Repeat("<long> ", 10<<20/7)
	p := h.start(text)
	s, err := h.user.Session(t.Context(), p.Session)
	if err != nil || s.Messages[0].Text != text {
		t.Fatalf("%d bytes kept of %d: %v", len(s.Messages[0].Text), len(text), err)
	}
	_, err = h.user.PostMessage(t.Context(), p.Session, api.PostMessage{Text: strings.Repeat("x", 17<<20)})
	code(t, err, blaise.CodeInvalid)
	_, err = h.user.PostMessage(t.Context(), p.Session, api.PostMessage{Text: strings.Repeat("x", 40<<20)})
	code(t, err, blaise.CodeInvalid)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, path := range []string{"/livez", "/readyz", "/docs", "/openapi.json"} {
		if resp := h.request("GET", path, "", ""); resp.StatusCode != 200 {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	if docs := body(t, h.request("GET", "/docs", "", "")); !strings.Contains(docs, "/api/run/outbox") || !strings.Contains(docs, "<code>blaise login</code>") {
		t.Error("the docs page does not list the routes")
	}
}

// TestSlowHandler holds that a request with a body may wait longer than the
// body may take to come.
func TestSlowHandler(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.start("hello")
	_, run := h.take(h.runner())
	if _, err := run.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err := h.user.End(t.Context(), p.Session, "")
	code(t, err, blaise.CodeUnreachable)
	if took := time.Since(began); took < 5*time.Second {
		t.Errorf("the end was given up after %s", took)
	}
}

// TestRefusedBody holds that what is unread of a body that is too large is
// never taken for another request.
func TestRefusedBody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const size = 4 << 20
	fmt.Fprintf(conn, "POST /api/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", h.token, size)
	go func() { _, _ = conn.Write(bytes.Repeat([]byte("x"), size)) }() // ends when the server closes
	answer, _ := io.ReadAll(conn)                                      // it may end with a reset
	if got := strings.Count(string(answer), "HTTP/1.1"); got != 1 || !strings.Contains(string(answer), "Connection: close") {
		t.Errorf("%d answers:\n%.2000s", got, answer)
	}
}

// TestFixation: signing in takes no token that a browser had before, and ends
// the one that it was signed in with.
func TestFixation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	signIn := func(cookie string) *http.Cookie {
		link, err := h.user.LoginLink(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp := h.request("GET", "/login?code="+link.Code, "", "", "Cookie", cookie)
		if len(resp.Cookies()) != 1 {
			t.Fatalf("%s, cookies %v", resp.Status, resp.Cookies())
		}
		return resp.Cookies()[0]
	}
	name := signIn("").Name
	planted := control.UserPrefix + "planted"
	first := signIn(name + "=" + planted)
	second := signIn(name + "=" + first.Value)
	if first.Value == planted || second.Value == first.Value {
		t.Error("signing in kept a token")
	}
	for token, want := range map[string]int{
		planted: http.StatusUnauthorized, first.Value: http.StatusUnauthorized, second.Value: http.StatusOK,
	} {
		if resp := h.request("GET", "/api/me", "", "", "Cookie", name+"="+token); resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", token, resp.Status, want)
		}
	}
}
