package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
	"blaise.dev/blaise/store"
)

// A house is a whole control plane on a real store, behind HTTP.
type house struct {
	t       *testing.T
	control *control.Control
	server  *httptest.Server
	user    *api.Client
	token   string
}

func newHouse(t *testing.T, change ...func(*server.Options)) *house {
	t.Helper()
	hub := control.NewHub()
	db, err := store.Open(t.Context(), "sqlite:"+t.TempDir(), store.Options{Appended: hub.Appended})
	if err != nil {
		t.Fatal(err)
	}
	c := control.New(control.Options{DB: db, Secret: []byte(strings.Repeat("s", 32)), Hub: hub})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	h := &house{t: t, control: c, server: httptest.NewUnstartedServer(nil)}
	o := server.Options{
		Control: c, Version: "test", Loopback: true, URL: "http://" + h.server.Listener.Addr().String(),
		KeepAlive: 50 * time.Millisecond,
	}
	for _, f := range change {
		f(&o)
	}
	h.server.Config.Handler = server.New(o)
	h.server.Start()
	t.Cleanup(func() {
		h.server.CloseClientConnections()
		h.server.Close()
		cancel()
		<-done
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if h.token, err = c.NewUserToken(t.Context(), "ann", "admin"); err != nil {
		t.Fatal(err)
	}
	h.user = h.client(h.token)
	h.apply("demo", "{}")
	return h
}

func (h *house) client(token string) *api.Client {
	return api.NewClient(h.server.URL, token, api.ClientOptions{HTTP: h.server.Client(), Version: "test"})
}

func (h *house) apply(name, spec string) api.Applied {
	h.t.Helper()
	a, err := h.user.ApplyAgent(h.t.Context(), []byte(
		"apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: "+name+"}\nspec: "+spec+"\n"), false)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// A runner is an instance that has said hello.
type runner struct {
	*api.Client
	id    blaise.InstanceID
	token api.Token
}

func (h *house) runner() runner {
	h.t.Helper()
	tok, err := h.user.NewToken(h.t.Context(), api.NewToken{Name: "box"})
	if err != nil {
		h.t.Fatal(err)
	}
	r := runner{Client: h.client(tok.Secret), id: "i1", token: tok}
	w, err := r.Hello(h.t.Context(), api.Hello{
		Instance: r.id, Boot: "b1", Machine: "m1", Host: "host", Version: "test", Protocol: api.Protocol, Slots: 4,
	})
	if err != nil || w.Runner != tok.ID {
		h.t.Fatalf("hello: %+v, %v", w, err)
	}
	return r
}

// take accepts the run that is offered.
func (h *house) take(r runner) (api.Lease, *api.Client) {
	h.t.Helper()
	o, err := r.Offers(h.t.Context(), r.id, "b1", 1, 5*time.Second)
	if err != nil || len(o.Offers) != 1 {
		h.t.Fatalf("offers: %+v, %v", o, err)
	}
	l, err := r.Accept(h.t.Context(), o.Offers[0].Run, api.Accept{Instance: r.id, Boot: "b1", Nonce: "n1"})
	if err != nil {
		h.t.Fatal(err)
	}
	return l, h.client(l.Token)
}

func (h *house) start(text string) api.Posted {
	h.t.Helper()
	p, err := h.user.StartSession(h.t.Context(), api.StartSession{Agent: "demo", Text: text})
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func code(t *testing.T, err error, want blaise.Code) {
	t.Helper()
	if err == nil || blaise.CodeOf(err) != want {
		t.Errorf("got %v, want code %s", err, want)
	}
}

func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestStart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.start("hello")
	l, run := h.take(h.runner())
	if l.Session != p.Session || l.Kind != blaise.RunStart || l.Beat != 20*time.Second {
		t.Errorf("lease %+v", l)
	}
	c, err := run.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", c)
	if _, err := run.Beat(t.Context(), api.Beat{}); err != nil {
		t.Fatal(err)
	}
}
