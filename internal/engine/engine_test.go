package engine_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
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
	path := engineAt(t, "", `{"ID": "the-engine", "ContainerdCommit": {"ID": "c"}}`)
	e, err := engine.Dial(t.Context(), "unix://"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.ID != "the-engine" || e.Remote {
		t.Errorf("got %+v", e)
	}
}

// engineAt answers as an engine does on a socket, as a Podman if libpod says a
// version.
func engineAt(t *testing.T, libpod, info string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", engine.MinAPI)
		if libpod != "" {
			w.Header().Set("Libpod-Api-Version", libpod)
		}
		fmt.Fprint(w, info)
	})}}
	server.Start()
	t.Cleanup(server.Close)
	return path
}

// A Podman of a user without rights is known by whose its directory is: what
// its root writes is that user's.
func TestDialKnowsARootlessPodman(t *testing.T) {
	own := t.TempDir()
	if os.Getuid() == 0 {
		if err := os.Chown(own, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		libpod, dir string
		rootless    bool
	}{
		"a user's": {"4.3.1", own, true}, "root's": {"4.3.1", "/", false},
		"elsewhere": {"4.3.1", "/no/such", false}, "a Docker": {"", own, false},
	} {
		info := fmt.Sprintf(`{"Name": "here", "DockerRootDir": %q}`, c.dir)
		e, err := engine.Dial(t.Context(), "unix://"+engineAt(t, c.libpod, info))
		if err != nil {
			t.Fatal(err)
		}
		if e.Rootless != c.rootless {
			t.Errorf("%s: rootless %v", name, e.Rootless)
		}
		_ = e.Close()
	}
}
