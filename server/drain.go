package server

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// maxDrain bounds how long a drain may leave turns open.
const maxDrain = 24 * time.Hour

func (s *Server) drain(ctx context.Context, in *struct{ Body api.Drain }) (api.Drained, error) {
	d, r := in.Body, callerOf(ctx).runner
	if d.Timeout < 0 || d.Timeout > maxDrain {
		return api.Drained{}, blaise.Errorf(blaise.CodeInvalid, "drain: the timeout %s is none of 0 to %s", d.Timeout, maxDrain)
	}
	i, err := s.control.Heard(ctx, r, d.Instance, d.Boot)
	if err != nil {
		return api.Drained{}, err
	}
	n, err := s.control.Drain(ctx, r, i.ID, d.Timeout)
	return api.Drained{Runs: n}, err
}
