package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/meter"
	"blaise.dev/blaise/server"
)

// Metrics and status are for users; whether Blaise lives and is ready is for
// everybody, as is a listener of its own (X12).
func TestX12_WhoMayWatch(t *testing.T) {
	t.Parallel()
	m := meter.New("test")
	var options server.Options
	h := newHouse(t, func(o *server.Options) { o.Meter = m; options = *o })
	m.Read(h.control.Figures)
	other, err := h.user.NewToken(t.Context(), api.NewToken{Name: "box"})
	if err != nil {
		t.Fatal(err)
	}
	own := httptest.NewServer(server.NewWatch(options))
	defer own.Close()
	for _, c := range []struct {
		url, token string
		want       int
	}{
		{h.server.URL + "/livez", "", 200}, {h.server.URL + "/readyz", "", 200},
		{h.server.URL + "/metrics", "", 401}, {h.server.URL + "/statusz", "", 401},
		{h.server.URL + "/metrics", other.Secret, 403}, {h.server.URL + "/statusz", other.Secret, 403},
		{h.server.URL + "/metrics", h.token, 200}, {h.server.URL + "/statusz", h.token, 200},
		{own.URL + "/livez", "", 200}, {own.URL + "/readyz", "", 200},
		{own.URL + "/metrics", "", 200}, {own.URL + "/statusz", "", 200},
		{own.URL + "/api/sessions", h.token, 404}, {own.URL + "/", "", 404},
	} {
		if got, body := ask(t, c.url, c.token); got != c.want {
			t.Errorf("GET %s: %d, want %d: %s", c.url, got, c.want, body)
		}
	}
	_, page := ask(t, own.URL+"/metrics", "")
	for _, want := range []string{
		`blaise_http_requests_total{code="401",route="/metrics"} 1`, `blaise_http_requests_total{code="200",route="/readyz"} 1`,
		"blaise_store_up 1", `blaise_runs_waiting{kind="teardown"} 0`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("metrics have no %q:\n%s", want, page)
		}
	}
}

func ask(t *testing.T, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}
