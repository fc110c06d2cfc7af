package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// mayTake refuses inputs that the agent does not declare: nothing would read
// them.
func mayTake(ctx context.Context, c *api.Client, name blaise.AgentName, set map[string]string) error {
	if len(set) == 0 {
		return nil
	}
	g, err := c.Agent(ctx, name)
	if err != nil {
		return nameAgents(ctx, c, name, err)
	}
	var doc struct {
		Spec struct {
			Inputs map[string]json.RawMessage `json:"inputs"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(g.Spec, &doc); err != nil {
		return nil // Blaise, which keeps it, knows better
	}
	known := slices.Sorted(maps.Keys(doc.Spec.Inputs))
	if len(known) == 0 {
		return usage("agent %s declares no inputs", name).WithHint("leave --set out")
	}
	for _, k := range slices.Sorted(maps.Keys(set)) {
		if !slices.Contains(known, k) {
			return usage("agent %s has no input %q", name, k).WithHint("its inputs are %s", strings.Join(known, ", "))
		}
	}
	return nil
}

// nameAgents gives the error of an agent that is not there the names of those
// that are.
func nameAgents(ctx context.Context, c *api.Client, name blaise.AgentName, err error) error {
	var e *blaise.Error
	if !errors.As(err, &e) || e.Code != blaise.CodeNotFound {
		return err
	}
	all, listErr := c.Agents(ctx)
	if listErr != nil {
		return err
	}
	var names []string
	for _, g := range all {
		if g.Name == name {
			return err // it is something else that was not found
		}
		names = append(names, string(g.Name))
	}
	if len(names) == 0 {
		return blaise.Errorf(e.Code, "%s", e.Message).WithHint("there are no agents; make one with `blaise apply -f agent.yml`")
	}
	return blaise.Errorf(e.Code, "%s", e.Message).WithHint("the agents are %s", strings.Join(names, ", "))
}
