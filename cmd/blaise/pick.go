package main

import (
	"context"
	"errors"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

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
