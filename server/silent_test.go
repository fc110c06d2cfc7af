package server_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/server"
)

// TestSilentBody holds that a body which is announced and does not come is not
// waited for: not at all when the request is refused, and not for ever otherwise.
func TestSilentBody(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(o *server.Options) { o.BodySilence = 1500 * time.Millisecond })
	for name, c := range map[string]struct {
		head, want string
		answer     time.Duration // the most
	}{
		"no token":      {"POST /api/sessions HTTP/1.1\r\nContent-Length: 100000", "HTTP/1.1 401", time.Second},
		"chunked":       {"POST /api/sessions HTTP/1.1\r\nTransfer-Encoding: chunked", "HTTP/1.1 401", time.Second},
		"another host":  {"POST /api/sessions HTTP/1.1\r\nX-Host: evil.example\r\nContent-Length: 9", "HTTP/1.1 421", time.Second},
		"no such route": {"POST /api/nothing HTTP/1.1\r\nContent-Length: 100000", "HTTP/1.1 404", time.Second},
		"a reader":      {"POST /api/sessions HTTP/1.1\r\nContent-Length: 100000\r\n" + "Authorization: Bearer " + h.token, "HTTP/1.1 ", 10 * time.Second},
		"no reader":     {"GET /livez HTTP/1.1\r\nContent-Length: 100000", "HTTP/1.1 200", 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head, host := c.head, "localhost"
			if strings.Contains(head, "X-Host") {
				host = "evil.example"
			}
			conn, err := net.Dial("tcp", strings.TrimPrefix(h.server.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "%s\r\nHost: %s\r\nContent-Type: application/json\r\n\r\n", head, host)
			began := time.Now()
			_ = conn.SetReadDeadline(began.Add(20 * time.Second))
			first := make([]byte, 12)
			if _, err := io.ReadFull(conn, first); err != nil || !strings.HasPrefix(string(first), c.want) {
				t.Fatalf("answer %q, %v", first, err)
			}
			if took := time.Since(began); took > c.answer {
				t.Errorf("answered after %v", took)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("the connection stays open: %v", err)
			}
		})
	}
}

// TestEmptyPage holds that a page without events says so with a list.
func TestEmptyPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.start("hello")
	page := body(t, h.request("GET", "/api/sessions/"+string(p.Session)+"/transcript?after=1000000", h.token, ""))
	if !strings.Contains(page, `"events":[]`) {
		t.Errorf("got %s", page)
	}
}

// TestRevokedWhileIdle holds that a runner that waits for work hears at once
// that its token is worth nothing any more.
func TestRevokedWhileIdle(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.runner()
	ended := make(chan error, 1)
	go func() {
		_, err := r.Offers(t.Context(), r.id, "b1", 1, 25*time.Second)
		ended <- err
	}()
	time.Sleep(300 * time.Millisecond) // until it waits; if it does not yet, it is refused as well
	if err := h.user.RevokeToken(t.Context(), r.token.ID); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		code(t, err, blaise.CodeDenied)
	case <-time.After(5 * time.Second):
		t.Error("the poll goes on")
	}
}
