package server

import (
	"context"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// auditShown is how many lines of the audit record a page has unless the caller
// says; auditMost is the most that may be asked for.
const (
	auditShown = 50
	auditMost  = 500
)

func (s *Server) auditRoutes() {
	handle(s, route{
		id: "list-audit", method: http.MethodGet, path: "/api/audit", user: control.RoleAdmin,
		says: "Who did what to users, tokens, webhooks, agents, runners; the latest first",
	}, func(ctx context.Context, in *auditIn) (api.Audits, error) {
		return s.views.Audits(ctx, api.AuditFilter{
			By: in.By, Kind: blaise.AuditKind(in.Kind), Before: in.Before, Limit: in.Limit,
		})
	})
}

type auditIn struct {
	By     string `query:"by" doc:"what this person did"`
	Kind   string `query:"kind" doc:"acts of this kind, as token.created"`
	Before int64  `query:"before" minimum:"0" doc:"next of the page before"`
	Limit  int    `query:"limit" doc:"at most so many, 50 if it is not given"`
}

// Audits lists who did what to Blaise itself, the latest first. CodeInvalid:
// there is no such kind.
func (v *Views) Audits(ctx context.Context, f api.AuditFilter) (api.Audits, error) {
	if f.Limit <= 0 || f.Limit > auditMost {
		f.Limit = auditShown
	}
	out := api.Audits{Lines: []blaise.Audit{}}
	list, err := v.control.Audits(ctx, store.AuditFilter(f))
	out.Lines = append(out.Lines, list...)
	if len(list) == f.Limit {
		out.Next = list[len(list)-1].N
	}
	return out, err
}
