package server

import (
	"context"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// A personAct is one act on a session: an event with at most a reason.
type personAct struct {
	name string
	kind blaise.EventKind
	says string
}

// acts are what a person may do with a session beside talking to it.
var acts = []personAct{
	{"end", blaise.EventEndAsked, "End a session; waits until its run has received the stop"},
	{"pause", blaise.EventPauseAsked, "Pause a session now; waits until its run has received the stop"},
	{"cancel", blaise.EventCancelAsked, "Cancel the turn"},
	{"retry", blaise.EventRetryAsked, "Try what waits again, now"},
	{"retry-teardown", blaise.EventTeardownRetry, "Begin a new series of teardowns"},
	{"mark-destroyed", blaise.EventMarkDestroyed, "Say that what the environment held is gone"},
	{"hold", blaise.EventHeld, "Freeze a session"},
	{"release", blaise.EventReleased, "Let a held session go on"},
	{"pushed", blaise.EventPushed, "Put into the record that saved work was pushed somewhere"},
}

type actIn struct {
	SessionPath
	Body api.Act
}

func (s *Server) actRoute(a personAct) {
	act(s, route{
		id: a.name, method: http.MethodPost, path: "/api/sessions/{id}/" + a.name,
		user: control.RoleFor(blaise.Event{Kind: a.kind}), says: a.says,
	}, func(ctx context.Context, in *actIn) error {
		user := callerOf(ctx).user
		e := blaise.Event{Kind: a.kind, By: user.Name, Reason: in.Body.Reason, Force: in.Body.Force}
		if err := user.May(forced(a.name, e), control.RoleFor(e)); err != nil {
			return err
		}
		id, err := s.views.Find(ctx, in.ID)
		if err != nil {
			return err
		}
		return s.control.Act(ctx, id, e)
	})
}

func forced(name string, e blaise.Event) string {
	if e.Force {
		return name + " by force"
	}
	return name
}
