package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"blaise.dev/blaise/control"
)

// readyWithin is how long the store may take to answer.
const readyWithin = 5 * time.Second

// NewWatch returns what a listener for those who watch over Blaise answers:
// /livez, /readyz, /statusz and /metrics, all without a token. Whoever reaches
// it may read them.
func NewWatch(o Options) http.Handler {
	s, mux := newServer(o), http.NewServeMux()
	mux.HandleFunc("GET /livez", s.livez)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /statusz", s.statusz)
	mux.HandleFunc("GET /metrics", s.metrics)
	return s.recovered(mux)
}

// metrics answers what was measured. It names no session: every role may see
// it.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if s.o.Meter == nil {
		http.NotFound(w, r)
		return
	}
	s.o.Meter.ServeHTTP(w, r)
}

// livez says that the process serves.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "ok")
}

// readyz says that decisions can be made, or why not.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if why := s.unready(r.Context()); why != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "not ready: "+why)
		return
	}
	fmt.Fprintln(w, "ok")
}

// unready is why no decision can be made, in words for everybody; "" if one can.
func (s *Server) unready(ctx context.Context) string {
	if ctx.Err() != nil {
		return "Blaise is shutting down"
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	err := s.control.Healthy(ctx)
	if err == nil {
		return ""
	}
	s.log.Warn("not ready", "error", err)
	switch {
	case errors.Is(err, control.ErrClocks):
		return err.Error()
	case errors.Is(err, control.ErrFull):
		return control.ErrFull.Error() + ": make room there; the log says more"
	}
	return control.ErrStore.Error() + "; the log says why"
}
