package engine_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/engine"
)

// An engine that speaks TLS to who does not, and the other way round, is told
// with what to set.
func TestDialNamesTheCertificates(t *testing.T) {
	t.Setenv("DOCKER_CERT_PATH", "")
	silent := httptest.NewUnstartedServer(http.NotFoundHandler())
	silent.Config.ErrorLog = log.New(io.Discard, "", 0)
	silent.StartTLS()
	defer silent.Close()
	_, err := engine.Dial(t.Context(), "tcp://"+silent.Listener.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "DOCKER_CERT_PATH names") {
		t.Errorf("got %v", err)
	}
	t.Setenv("DOCKER_CERT_PATH", "/no/such")
	const absent = "tcp://127.0.0.1:1"
	if _, err = engine.Dial(t.Context(), absent); err == nil || !strings.Contains(err.Error(), absent) || !strings.Contains(err.Error(), "/no/such/") {
		t.Errorf("got %v", err)
	}
}

// The certificates of an engine elsewhere are not for a socket of this machine.
func TestDialSpeaksNoTLSToASocket(t *testing.T) {
	t.Setenv("DOCKER_CERT_PATH", "/no/such")
	t.Setenv("DOCKER_TLS_VERIFY", "1")
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", engine.MinAPI)
		fmt.Fprint(w, `{"ID": "the-engine", "ContainerdCommit": {"ID": "c"}}`)
	})}}
	server.Start()
	defer server.Close()
	e, err := engine.Dial(t.Context(), "unix://"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.ID != "the-engine" || e.Remote {
		t.Errorf("got %+v", e)
	}
}
