package server

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// readyWithin is how long the store may take to answer.
const readyWithin = 5 * time.Second

// livez says that the process serves.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "ok")
}

// readyz says that decisions can be made, or why not.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	if err := s.control.Healthy(ctx); err != nil {
		s.log.Warn("not ready", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "not ready: the store does not answer; the log says why")
		return
	}
	fmt.Fprintln(w, "ok")
}
