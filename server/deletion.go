package server

import (
	"context"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// deletionRoutes are an administrator's: what is deleted does not come back.
func (s *Server) deletionRoutes() {
	handle(s, route{
		id: "delete-session", method: http.MethodDelete, path: "/api/sessions/{id}", user: control.RoleAdmin,
		says: "Forget a session that has ended and holds nothing; who did it and why stays",
	}, s.deleteSession)
	handle(s, route{
		id: "list-settled", method: http.MethodGet, path: "/api/settled", user: control.RoleAdmin,
		says: "Sessions that may be deleted, the first created first",
	}, s.listSettled)
}

type deleteIn struct {
	SessionPath
	Reason   string `query:"reason" doc:"why, for the record"`
	DropWork bool   `query:"drop_work" doc:"also if Blaise has saved work of it, which goes too and may be nowhere else"`
}

func (s *Server) deleteSession(ctx context.Context, in *deleteIn) (blaise.Deletion, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return blaise.Deletion{}, err
	}
	return s.control.Delete(ctx, callerOf(ctx).user.Name, id, in.Reason, in.DropWork)
}

type settledIn struct {
	OlderThan string `query:"older_than" doc:"for how long nothing has happened to them, as 12h or 90d"`
	After     string `query:"after" doc:"next of the page before"`
	Limit     int    `query:"limit" maximum:"500"`
}

// settledLimit is how many sessions a page has unless the caller says.
const settledLimit = 100

func (s *Server) listSettled(ctx context.Context, in *settledIn) (api.Settled, error) {
	out := api.Settled{Sessions: []api.Summary{}}
	limit := in.Limit
	if limit <= 0 {
		limit = settledLimit
	}
	list, err := s.control.Settled(ctx, in.OlderThan, in.After, limit)
	for _, l := range list {
		out.Sessions = append(out.Sessions, summaryOf(l))
	}
	if len(list) == limit {
		out.Next = list[len(list)-1].Cursor()
	}
	return out, err
}
