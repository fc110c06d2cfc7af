package main

import (
	"context"
	"maps"

	"blaise.dev/blaise/api"
)

// origins fills in what a start takes from other sessions, and its agent.
func origins(ctx context.Context, c *api.Client, from, like string, start *api.StartSession) error {
	if like != "" {
		if err := startAgain(ctx, c, like, start); err != nil {
			return err
		}
	}
	if from != "" {
		s, err := found(ctx, c, from)
		if err != nil {
			return err
		}
		start.From = s.ID
		if start.Agent == "" {
			start.Agent = s.Agent
		}
	}
	var err error
	start.Agent, err = pickAgent(ctx, c, string(start.Agent))
	return err
}

// startAgain fills in what is not given from another session: its agent, its
// inputs and its first message.
func startAgain(ctx context.Context, c *api.Client, given string, start *api.StartSession) error {
	s, err := found(ctx, c, given)
	if err != nil {
		return err
	}
	if len(s.Messages) > 0 && start.Text == "" {
		first := s.Messages[0]
		if len(first.Attachments) > 0 && len(start.Attachments) == 0 {
			return usage("the first message of session %s came with %s", s.ID, first.Attachments[0]).
				WithHint("give what came with it again: --attach FILE")
		}
		start.Text = first.Text
	}
	if start.Agent == "" {
		start.Agent = s.Agent
	}
	set := maps.Clone(s.Inputs)
	if set == nil {
		set = map[string]string{}
	}
	maps.Copy(set, start.Set)
	start.Set = set
	return nil
}
