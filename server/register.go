package server

import (
	"context"
	"net/http"

	"blaise.dev/blaise/api"

	"github.com/danielgtaylor/huma/v2"
)

// An answer is the body of an answer, nothing else.
type answer[T any] struct{ Body T }

// none is the answer of what is done or fails.
type none struct{}

// handle registers a route whose answer has a body.
func handle[I, O any](s *Server, r route, do func(context.Context, *I) (O, error)) {
	huma.Register(s.api, r.operation(), func(ctx context.Context, in *I) (*answer[O], error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		return &answer[O]{Body: out}, nil
	})
}

// act registers a route that answers 204.
func act[I any](s *Server, r route, do func(context.Context, *I) error) {
	r.status = http.StatusNoContent
	huma.Register(s.api, r.operation(), func(ctx context.Context, in *I) (*none, error) {
		return nil, s.fail(ctx, do(ctx, in))
	})
}

// stream registers a route that answers with server-sent events.
func stream[I any](s *Server, r route, do func(context.Context, *I, *api.EventWriter) error) {
	op := r.operation()
	op.Responses = map[string]*huma.Response{"200": {
		Description: "server-sent events",
		Content:     map[string]*huma.MediaType{"text/event-stream": {}},
	}}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			s.serve(hc, func(ev *api.EventWriter) error {
				if u := callerOf(ctx).user; u.Name != "" {
					var leave func()
					ctx, leave = s.control.Allowed(ctx, u)
					defer leave()
				}
				err := do(ctx, in, ev)
				if ctx.Err() != nil {
					return api.ErrGone // who may come again does
				}
				return err
			})
		}}, nil
	})
}
