package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// What helps depends on why no answer came.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	for name, c := range map[string]struct{ url, hint string }{
		"an authority that is not known": {secure.URL, "SSL_CERT_FILE"},
		"no TLS":                         {"https" + strings.TrimPrefix(plain.URL, "http"), "is its address one of http?"},
		"nobody":                         {"http://127.0.0.1:1", "is it running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := api.NewClient(c.url, "", api.ClientOptions{}).Me(t.Context())
			var e *blaise.Error
			if !errors.As(err, &e) || e.Code != blaise.CodeUnreachable || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%v, want a hint with %q", err, c.hint)
			}
		})
	}
}
