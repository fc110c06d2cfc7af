package server

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// maxDiff bounds what a run tells of its changes: a patch and a list of files of
// blaise.DiffMost, each byte of which JSON may write as six.
const maxDiff = 2 * 6 * blaise.DiffMost

func (s *Server) putDiff(ctx context.Context, in *struct{ Body blaise.Diff }) error {
	return s.control.KeepDiff(ctx, callerOf(ctx).run, in.Body)
}

type diffIn struct {
	SessionPath
	Wait string `query:"wait" doc:"how long a live run may take to look, such as 10s; 25s is the most"`
}

func (s *Server) diff(ctx context.Context, in *diffIn) (api.SessionDiff, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return api.SessionDiff{}, err
	}
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return api.SessionDiff{}, err
	}
	l, err := s.control.Diff(ctx, callerOf(ctx).user.Name, id, time.Time{}, wait)
	if err == nil && !l.Known {
		err = blaise.Errorf(blaise.CodeNotFound, "no run of session %s has told what it changed", id).
			WithHint("it is told when work is saved: at every pause, and at the end")
	}
	return api.SessionDiff{Session: id, Diff: l.Diff, Asked: l.Asked}, err
}
