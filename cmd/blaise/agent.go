package main

import (
	"cmp"
	"context"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func agentCommand(a *app) *cobra.Command {
	c := family("agent", "See agents, and let them take work or not", "  blaise agent list")
	c.AddCommand(agentListCommand(a), agentShowCommand(a), agentExplainCommand(a),
		agentStateCommand(a, "disable", "disabled", "No new runs; live ones go on until their next stop"),
		agentStateCommand(a, "enable", "enabled", "Let an agent take work again"),
		agentStateCommand(a, "archive", "archived", "Stop idle runs and refuse new messages"))
	return c
}

func agentListCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List the agents", Example: "  blaise agent list", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			all, err := c.Agents(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, all)
			}
			t := table{head: []string{"NAME", "STATE", "RUNS", "REVISION", "CHANGED", "BY"}, paint: a.states()}
			for _, g := range all {
				t.add(string(g.Name), g.State, cmp.Or(g.Work(), "-"), fmt.Sprint(g.Revision), ago(g.At, a.now()), oneLine(g.By, 40))
			}
			t.print(a.out, a.look())
			return nil
		}),
	})
}

func agentShowCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "show NAME", Short: "Show an agent and its manifest", Example: "  blaise agent show demo",
		Args: exactArgs("the name of an agent"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			g, err := c.Agent(ctx, blaise.AgentName(args[0]))
			if err != nil {
				return nameAgents(ctx, c, blaise.AgentName(args[0]), err)
			}
			if a.json {
				return printJSON(a.out, g)
			}
			a.field("agent", "%s", g.Name)
			a.field("state", "%s", g.State)
			a.field("runs", "%s", cmp.Or(g.Work(), "none at work"))
			a.field("revision", "%d, %s by %s", g.Revision, ago(g.At, a.now()), g.By)
			return printJSON(a.out, g.Spec)
		}),
	})
}

func agentStateCommand(a *app, verb, state, short string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " NAME", Short: short, Example: "  blaise agent " + verb + " demo", Args: exactArgs("the name of an agent"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.SetAgentState(ctx, blaise.AgentName(args[0]), state); err != nil {
				return nameAgents(ctx, c, blaise.AgentName(args[0]), err)
			}
			_, err := fmt.Fprintf(a.out, "agent %s: %s\n", args[0], state)
			return err
		}),
	}
}
