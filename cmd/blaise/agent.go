package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func applyCommand(a *app) *cobra.Command {
	var file string
	var dry bool
	c := a.jsonFlag(&cobra.Command{
		Use: "apply -f FILE", Short: "Make or change an agent from its manifest",
		Long: "Makes or changes an agent. Unknown keys are refused. A changed policy holds for the\n" +
			"next idle session, with no runner restarted. agent.yml.example, beside the README, has\n" +
			"every key with its default and meaning. The least:\n\n" +
			"  apiVersion: blaise.dev/v1\n  kind: Agent\n  metadata: {name: coder}\n  spec: {}",
		Example: "  blaise apply -f agent.yml\n  blaise apply -f agent.yml --dry-run",
		Args:    noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			manifest, err := a.readManifest(file)
			if err != nil {
				return err
			}
			x, err := c.ApplyAgent(ctx, manifest, dry)
			if err != nil {
				return inFile(file, err)
			}
			return a.applied(x)
		}),
	})
	c.Flags().StringVarP(&file, "file", "f", "", "the manifest, - for stdin")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	return c
}

func (a *app) readManifest(file string) ([]byte, error) {
	switch file {
	case "":
		return nil, usage("no manifest is named").WithHint("blaise apply -f agent.yml")
	case "-":
		return io.ReadAll(a.in)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("%s", err)
	}
	return b, nil
}

// inFile puts the name of the manifest into what is wrong with it.
func inFile(file string, err error) error {
	var e *blaise.Error
	if !errors.As(err, &e) || e.Code != blaise.CodeInvalid {
		return err
	}
	text, ours := strings.CutPrefix(e.Message, "read manifest: ")
	if !ours {
		return err
	}
	if file == "-" {
		file = "stdin"
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = file + ": " + l
	}
	hint := e.Hint
	if hint == "" {
		hint = "agent.yml.example has every key; see `blaise apply --help`"
	}
	return usage("%s", strings.Join(lines, "\n")).WithHint("%s", hint)
}

func (a *app) applied(x api.Applied) error {
	if a.json {
		return printJSON(a.out, x)
	}
	would := ""
	if x.DryRun {
		would = " (dry run: nothing was changed)"
	}
	fmt.Fprintf(a.out, "agent %s: %s, revision %d%s\n", x.Name, x.Result, x.Revision, would)
	for _, e := range x.Effects {
		fmt.Fprintf(a.out, "  %s\n", harmless(e))
	}
	return nil
}

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
