package control

import (
	"context"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// whyAgent cites what `runner probe` found wrong with the session's agent on
// the machine where it runs: a fault explains a context that is not whole, a
// cancel that took long, a login that is missing.
func (c *Control) whyAgent(ctx context.Context, v store.View) []string {
	talk := v.Session.Conversation
	if v.Session.State == blaise.SessionEnded || talk.Agent == "" || v.Session.Instance == "" {
		return nil
	}
	in, err := c.db.Instance(ctx, v.Session.Instance)
	if err != nil {
		return nil // it is only cited
	}
	var lines []string
	for _, p := range in.Probed {
		if p.Covers(talk.Agent, talk.AgentVersion) && p.Result() != "works" {
			lines = append(lines, fmt.Sprintf("runner probe tried agent %s %s on %s at %s: %s",
				p.Agent, p.Version, in.Host, p.At.Format("2006-01-02 15:04 MST"), p.Result()))
		}
	}
	return lines
}
