package server

import (
	"context"
	"encoding/json"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// pausedMost is how many paused environments are listed.
const pausedMost = 1000

// Paused lists the environments that are paused, the longest first, with what
// their machines said last that they take.
func (v *Views) Paused(ctx context.Context) ([]api.Paused, error) {
	list, found, err := v.control.Paused(ctx, pausedMost)
	if err != nil {
		return nil, err
	}
	takes := map[blaise.EnvironmentID]int64{}
	for _, raw := range found {
		var inv api.Inventory
		if err := json.Unmarshal(raw, &inv); err != nil {
			return nil, err
		}
		for _, t := range inv.Things {
			takes[t.Environment] += t.Bytes
		}
	}
	out := []api.Paused{}
	for _, p := range list {
		out = append(out, api.Paused{
			Session: p.Session.ID, Title: p.Session.Title, Environment: p.Environment.ID,
			Runner: p.Session.Runner, Since: p.Since, DueAt: p.DueAt, Bytes: takes[p.Environment.ID],
		})
	}
	return out, nil
}
