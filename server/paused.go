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
	things := map[blaise.EnvironmentID][]api.Thing{}
	for _, raw := range found {
		var inv api.Inventory
		if err := json.Unmarshal(raw, &inv); err != nil {
			return nil, err
		}
		for _, t := range inv.Things {
			things[t.Environment] = append(things[t.Environment], t)
		}
	}
	out := []api.Paused{}
	for _, p := range list {
		one := api.Paused{
			Session: p.Session.ID, Title: p.Session.Title, Environment: p.Environment.ID,
			Runner: p.Session.Runner, Since: p.Since, DueAt: p.DueAt,
		}
		one.Bytes, one.Unweighed = weighed(p.Environment, things[p.Environment.ID])
		out = append(out, one)
	}
	return out, nil
}

// weighed is what an environment takes, and what of it nobody has weighed: a
// directory that no daemon came to, or what the ledger has on an engine that did
// not answer.
func weighed(e blaise.Environment, things []api.Thing) (bytes int64, unweighed []string) {
	known := map[[3]string]bool{}
	for _, t := range things {
		bytes += t.Bytes
		known[[3]string{t.Kind, t.Name, t.Where}] = t.Bytes > 0 || !t.WeighedAt.IsZero() || t.Class == api.ClassMissing
		if t.Kind == "directory" && t.Bytes == 0 && t.WeighedAt.IsZero() {
			unweighed = append(unweighed, t.Kind+" "+t.Name)
		}
	}
	for _, r := range e.Resources {
		heavy := r.Kind == blaise.ResourceContainer || r.Kind == blaise.ResourceVolume
		if heavy && !r.Gone && !known[[3]string{r.Kind, r.Name, r.Where}] {
			unweighed = append(unweighed, r.Kind+" "+r.Name)
		}
	}
	return bytes, unweighed
}
