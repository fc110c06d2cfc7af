package server_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"blaise.dev/blaise/api"
)

// TestShutdown holds that streams and polls end when the server's context
// does, so that a restart takes no longer than its last request.
func TestShutdown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, l, _ := h.connected()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := httptest.NewUnstartedServer(h.server.Config.Handler)
	s.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.Start()
	defer s.Close()
	client := func(token string) *api.Client {
		return api.NewClient(s.URL, token, api.ClientOptions{HTTP: s.Client()})
	}
	life, end := context.WithCancel(t.Context())
	defer end()
	heard := make(chan struct{}, 100)
	go func() {
		_ = client(h.token).Follow(life, p.Session, 0, func(api.Followed) error { heard <- struct{}{}; return nil })
	}()
	polled := make(chan error, 1)
	go func() {
		_, err := client(l.Token).Directives(life, 0, 25*time.Second)
		polled <- err
	}()
	within(t, heard, "session")
	time.Sleep(50 * time.Millisecond) // the poll is on its way: it waits 25 s
	cancel()
	deadline, done := context.WithTimeout(t.Context(), 5*time.Second)
	defer done()
	if err := s.Config.Shutdown(deadline); err != nil && !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("shutdown: %v", err)
	}
	if err := within(t, polled, "end of the poll"); err == nil {
		t.Error("a poll that was broken off was answered as if nothing had come")
	}
}
