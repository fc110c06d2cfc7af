package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/near"

	"github.com/spf13/cobra"
)

func agentExplainCommand(a *app) *cobra.Command {
	var action blaise.Action
	var paths []string
	c := a.jsonFlag(&cobra.Command{
		Use: "explain NAME", Short: "Say what an agent's gate does with something it may ask",
		Long: "Says what the gate of an agent does with something that the agent may ask, and by\n" +
			"which rule. Nothing is done. A path that is not absolute is inside the workspace.",
		Example: "  blaise agent explain demo --command 'rm -rf /'\n" +
			"  blaise agent explain demo --tool edit --path src/main.go",
		Args: exactArgs("the name of an agent"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if action.Tool == "" && action.Command == "" && action.Name == "" {
				return usage("what the agent asks for is missing").
					WithHint("--tool edit --path src/main.go, --command 'make test', or --name with the name of a tool")
			}
			if action.Tool == "" {
				action.Tool = blaise.ToolOther
				if action.Command != "" {
					action.Tool = blaise.ToolExecute
				}
			}
			if kinds := blaise.ToolKinds(); !slices.Contains(kinds, action.Tool) {
				return usage("--tool %q is none of %s%s", action.Tool, strings.Join(kinds, ", "),
					near.DidYouMean(action.Tool, kinds))
			}
			action.Paths = pathsOf(paths)
			ruled, err := c.ExplainGate(ctx, blaise.AgentName(args[0]), action)
			if err != nil {
				return nameAgents(ctx, c, blaise.AgentName(args[0]), err)
			}
			if a.json {
				return printJSON(a.out, ruled)
			}
			_, err = fmt.Fprintf(a.out, "%s, by %s\n", ruled.Then, harmless(ruled.Rule))
			return err
		}),
	})
	f := c.Flags()
	f.StringVar(&action.Tool, "tool", "", "the kind of tool: "+strings.Join(blaise.ToolKinds(), ", "))
	f.StringVar(&action.Name, "name", "", "the name of the tool")
	f.StringVar(&action.Command, "command", "", "the command it would run")
	f.StringArrayVar(&paths, "path", nil, "a `path` it would touch; may be repeated")
	return c
}

// pathsOf takes paths as if there were no links.
func pathsOf(said []string) []blaise.ActionPath {
	var list []blaise.ActionPath
	for _, p := range said {
		p = path.Clean(p)
		real := p
		if p == ".." || strings.HasPrefix(p, "../") {
			real = "" // outside, nobody knows where
		}
		list = append(list, blaise.ActionPath{Said: p, Real: real})
	}
	return list
}
