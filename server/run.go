package server

import (
	"context"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

func (s *Server) runRoutes() {
	handle(s, route{
		id: "connect", method: http.MethodPost, path: "/api/run/connect", kind: kindRun, loose: true,
		says: "A run's first call",
	}, s.connect)
	handle(s, route{
		id: "beat", method: http.MethodPost, path: "/api/run/beat", kind: kindRun, loose: true,
		says: "The heartbeat",
	}, s.beat)
	handle(s, route{
		id: "directives", method: http.MethodGet, path: "/api/run/directives", kind: kindRun,
		says: "Directives not received; waits for the first",
	}, s.directives)
	handle(s, route{
		id: "received", method: http.MethodPost, path: "/api/run/directives/{n}/received", kind: kindRun, loose: true,
		says: "Confirm a directive; 409 with verdict void if it was taken back",
	}, s.received)
	handle(s, route{
		id: "claim", method: http.MethodPost, path: "/api/run/messages/{message}/claim", kind: kindRun, loose: true,
		says: "Deliver a message, just before its prompt is written",
	}, s.claim)
	handle(s, route{
		id: "plug-state", method: http.MethodGet, path: "/api/run/plugs/{plug}/state", kind: kindRun,
		says: "What a plug saved last in this environment",
	}, s.plugState)
	act(s, route{
		id: "put-diff", method: http.MethodPut, path: "/api/run/diff", kind: kindRun, loose: true, limit: maxDiff,
		says: "What the session changed, asked by a directive or at a save",
	}, s.putDiff)
	handle(s, route{
		id: "outbox", method: http.MethodPost, path: "/api/run/outbox", kind: kindRun, loose: true, limit: maxOutbox,
		says: "Take entries of the run's spool: events and reports",
	}, s.outbox)
}

func (s *Server) connect(ctx context.Context, _ *struct{}) (api.Connected, error) {
	list, err := s.control.Connect(ctx, callerOf(ctx).run)
	if list == nil {
		list = []blaise.Directive{}
	}
	return api.Connected{Directives: list, Time: time.Now().UTC()}, err
}

func (s *Server) beat(ctx context.Context, _ *struct{ Body api.Beat }) (api.Beaten, error) {
	n, err := s.control.Beat(ctx, callerOf(ctx).run)
	return api.Beaten{Directive: n, Time: time.Now().UTC()}, err
}

type directivesIn struct {
	After int64  `query:"after" doc:"the highest number known"`
	Wait  string `query:"wait" doc:"a duration such as 25s, the most there is"`
}

func (s *Server) directives(ctx context.Context, in *directivesIn) (api.Directives, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return api.Directives{}, err
	}
	run := callerOf(ctx).run
	if err := alive(run); err != nil {
		return api.Directives{}, err
	}
	open, void, err := s.control.Directives(ctx, run, in.After, wait)
	if open == nil {
		open = []blaise.Directive{}
	}
	return api.Directives{Directives: open, Void: void}, err
}

// alive refuses a run that has ended: whoever speaks for it must stop (X2).
func alive(run blaise.Run) error {
	if run.Final() {
		return blaise.Errorf(blaise.CodeStale, "run %s has ended (%s): stop now", run.ID, run.Outcome)
	}
	return nil
}

type receivedIn struct {
	N int64 `path:"n"`
}

func (s *Server) received(ctx context.Context, in *receivedIn) (api.Received, error) {
	v, err := s.control.Received(ctx, callerOf(ctx).run, in.N)
	if err == nil && v == blaise.VerdictVoid {
		p := newProblem(blaise.Errorf(blaise.CodeRefused, "directive %d was taken back: forget it", in.N))
		p.Verdict = v
		err = p
	}
	return api.Received{Verdict: v}, err
}

type claimIn struct {
	Message string `path:"message"`
}

func (s *Server) claim(ctx context.Context, in *claimIn) (api.Claimed, error) {
	m, err := s.control.Claim(ctx, callerOf(ctx).run, blaise.MessageID(in.Message))
	return api.Claimed{Turn: m.Turn, Repeats: m.Repeats}, err
}

type plugStateIn struct {
	Plug string `path:"plug"`
}

func (s *Server) plugState(ctx context.Context, in *plugStateIn) (api.PlugState, error) {
	run := callerOf(ctx).run
	if err := alive(run); err != nil {
		return api.PlugState{}, err
	}
	b, err := s.control.PlugState(ctx, run, in.Plug)
	return api.PlugState{State: b}, err
}
