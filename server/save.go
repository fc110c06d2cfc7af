package server

import (
	"context"
	"net/http"
	"path"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/store"

	"github.com/danielgtaylor/huma/v2"
)

func (s *Server) saveRoutes() {
	handle(s, route{
		id: "known-saves", method: http.MethodGet, path: "/api/runner/sessions/{id}/saves", kind: kindRunner,
		says: "What Blaise has written down of a session's work, for a runner that had a run of it",
	}, s.knownSaves)
	act(s, route{
		id: "put-save", method: http.MethodPut, path: "/api/runner/sessions/{id}/saves/{n}", kind: kindRunner,
		says: "Keep a save as the bundle in the body: the runner will have it no more",
	}, s.putSave)
}

func (s *Server) knownSaves(ctx context.Context, in *SessionPath) (api.KnownSaves, error) {
	saves, deleted, err := s.control.KnownSaves(ctx, callerOf(ctx).runner, blaise.SessionID(in.ID))
	if saves == nil {
		saves = []blaise.SavedWork{}
	}
	return api.KnownSaves{Deleted: deleted, Saves: saves}, err
}

type putSaveIn struct {
	SessionPath
	N      int    `path:"n"`
	Commit string `query:"commit" required:"true" doc:"that the save is of"`
	Name   string `query:"name" required:"true" maxLength:"200" doc:"for people"`
	bodyIn
}

// Resolve takes the body of the request.
func (in *putSaveIn) Resolve(ctx huma.Context) []error { return in.take(ctx) }

func (s *Server) putSave(ctx context.Context, in *putSaveIn) error {
	return s.control.KeepSave(ctx, callerOf(ctx).runner, in.N, in.Commit, store.Blob{
		Session: blaise.SessionID(in.ID), Name: path.Base(in.Name), Size: in.size,
	}, in.body)
}
