package server

import (
	"errors"
	"strconv"

	"blaise.dev/blaise/api"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// serve begins a stream and runs do until it ends. The status is sent by then:
// what goes wrong is an event, and the client's to read.
func (s *Server) serve(hc huma.Context, do func(*api.EventWriter) error) {
	r, w := humago.Unwrap(hc)
	ev, err := api.NewEventWriter(w, s.o.KeepAlive)
	defer ev.Close()
	if err == nil {
		err = do(ev)
	}
	if err != nil && r.Context().Err() == nil && !errors.Is(err, api.ErrGone) {
		_ = ev.Send("", "problem", problemOf(r.Context(), s.log, err).Problem) // who asked may be gone
	}
}

// after is where a follower goes on: what it was sent last outranks what it
// asked for when it began.
func after(query int64, lastEventID string) int64 {
	if n, err := strconv.ParseInt(lastEventID, 10, 64); err == nil {
		return n
	}
	return query
}
