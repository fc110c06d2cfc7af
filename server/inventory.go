package server

import (
	"context"
	"encoding/json"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

func (s *Server) inventoryRoutes() {
	handle(s, route{
		id: "ledger", method: http.MethodPost, path: "/api/runner/ledger", kind: kindRunner, loose: true,
		says: "What Blaise knows of environments that a runner found",
	}, s.ledger)
	act(s, route{
		id: "inventory", method: http.MethodPost, path: "/api/runner/inventory", kind: kindRunner, loose: true,
		says: "What exists on the machine of an instance, held against the ledger",
	}, s.inventory)
	handle(s, route{
		id: "leftovers", method: http.MethodGet, path: "/api/leftovers", user: control.RoleViewer,
		says: "What a person must see to, for no run will come for it",
	}, func(ctx context.Context, _ *struct{}) (api.Leftovers, error) { return s.views.Leftovers(ctx) })
	handle(s, route{
		id: "list-paused", method: http.MethodGet, path: "/api/paused", user: control.RoleViewer,
		says: "Environments that are paused: since when, what they take, when they are given up",
	}, func(ctx context.Context, _ *struct{}) ([]api.Paused, error) { return s.views.Paused(ctx) })
}

func (s *Server) ledger(ctx context.Context, in *struct{ Body api.AskLedger }) (api.Ledger, error) {
	r := callerOf(ctx).runner
	all, err := s.control.Ledger(ctx, r, in.Body.Environments)
	out := api.Ledger{Environments: []api.LedgerEntry{}}
	for _, h := range all {
		out.Environments = append(out.Environments, api.LedgerEntry{
			Environment: h.Environment.ID, Session: h.Session.ID, Runner: h.Session.Runner,
			Mine: h.Session.Runner == r.ID || h.Session.Runner == "", State: h.Environment.State,
			Over:        h.Environment.State.Final() || h.Environment.State == blaise.EnvLost,
			SessionSays: h.Session.State, Plugs: h.Environment.Plugs, Resources: h.Environment.Resources,
		})
	}
	return out, err
}

func (s *Server) inventory(ctx context.Context, in *struct{ Body api.Inventory }) error {
	found, err := json.Marshal(in.Body)
	if err != nil {
		return err
	}
	return s.control.KeepInventory(ctx, callerOf(ctx).runner, in.Body.Instance, found)
}

// Leftovers answers what a person must see to.
func (v *Views) Leftovers(ctx context.Context) (api.Leftovers, error) {
	out := api.Leftovers{Environments: []api.Leftover{}, Machines: []api.Inventory{}}
	left, found, err := v.control.LeftBehind(ctx)
	if err != nil {
		return out, err
	}
	for _, h := range left {
		out.Environments = append(out.Environments, leftoverOf(h))
	}
	for _, raw := range found {
		var inv api.Inventory
		if err := json.Unmarshal(raw, &inv); err != nil {
			return out, err
		}
		if inv.Things = needing(inv.Things); len(inv.Things) > 0 {
			out.Machines = append(out.Machines, inv)
		}
	}
	return out, nil
}

func leftoverOf(h store.Holder) api.Leftover {
	e := h.Environment
	l := api.Leftover{
		Session: h.Session.ID, Environment: e.ID, State: e.State, Why: e.LeftBehind(), LastError: e.LastError,
		Resources: []blaise.Resource{},
	}
	unowned := map[string]bool{}
	for _, p := range e.Plugs {
		if p.Unowned {
			unowned[p.ID] = true
			l.Plugs = append(l.Plugs, p)
		}
	}
	for _, r := range e.Resources {
		if !r.Gone && (!e.State.Final() || unowned[r.Plug]) {
			l.Resources = append(l.Resources, r)
		}
	}
	return l
}

// needing are the things of an inventory that somebody must see to.
func needing(all []api.Thing) []api.Thing {
	var some []api.Thing
	for _, t := range all {
		if t.Class == api.ClassOrphaned || t.Class == api.ClassMissing {
			some = append(some, t)
		}
	}
	return some
}
