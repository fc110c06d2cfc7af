package server

import (
	"context"
	"net/http"

	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"
)

func (s *Server) eventRoute() {
	handle(s, route{
		id: "get-event", method: http.MethodGet, path: "/api/sessions/{id}/events/{seq}", user: control.RoleViewer,
		says: "One event of the transcript, whole where the transcript has it cut",
	}, s.event)
}

type eventIn struct {
	SessionPath
	Seq int64 `path:"seq" minimum:"1"`
}

func (s *Server) event(ctx context.Context, in *eventIn) (transcript.Event, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return transcript.Event{}, err
	}
	return s.control.WholeEvent(ctx, id, in.Seq)
}
