package engine_test

import (
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/internal/engine"
)

// An engine that stops closes its socket and goes on serving the connections it
// has: Docker 20.10 starts a container then, after it has let go of its disks.
// Nobody may ask it any more.
func TestNothingIsAskedOfAnEngineThatStops(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", engine.MinAPI)
		if r.Method == http.MethodPost {
			started <- r.URL.Path
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ID": "the-engine", "ContainerdCommit": {"ID": "c"}}`))
	})
	server := &http.Server{Handler: mux}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close(); <-served })
	e, err := engine.Dial(t.Context(), "unix://"+l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l.Close() // and the server lives
	<-served
	if err := e.Start(t.Context(), "box"); err == nil {
		t.Errorf("%s was asked of an engine that does not listen", <-started)
	}
}
