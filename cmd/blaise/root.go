package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const about = `Blaise runs coding agents on your own machines and lets you steer them from a
terminal or a browser, over hours and days. Try it: blaise dev`

// rootCommand is the tree of commands.
func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use: "blaise", Short: "Run coding agents on your own machines", Long: about,
		Example:       "  blaise dev --repo .\n  blaise start --agent demo --wait \"hello\"",
		SilenceErrors: true, SilenceUsage: true, Version: programVersion(),
		PersistentPreRun: func(*cobra.Command, []string) { a.began = true },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.url, "url", "", "where Blaise is (BLAISE_URL)")
	flags.StringVar(&a.token, "token", "", "the token to use (BLAISE_TOKEN)")
	flags.StringVar(&a.data, "data", "", "the data folder of blaise dev or serve (BLAISE_DATA)")
	flags.Var(&a.colour, "color", "colours on a terminal: always, never, or auto, which obeys NO_COLOR and TERM")
	root.AddGroup(
		&cobra.Group{ID: "system", Title: "Run Blaise:"},
		&cobra.Group{ID: "session", Title: "Sessions (each also as `blaise session VERB`):"},
		&cobra.Group{ID: "admin", Title: "Agents, runners and people:"},
		&cobra.Group{ID: "other", Title: "Other:"},
	)
	add(root, "system", devCommand(a), serveCommand(a), loginCommand(a), openCommand(a), backupCommand(a), serviceCommand(a))
	add(root, "session", sessionVerbs(a)...)
	add(root, "admin", applyCommand(a), agentCommand(a), tokenCommand(a), runnerCommand(a), userCommand(a), lostCommand(a), webhookCommand(a))
	add(root, "other", sessionCommand(a), supportCommand(a), demoCommand(), versionCommand(a))
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	completionExamples(root)
	a.completions(root)
	return root
}

func add(parent *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		parent.AddCommand(c)
	}
}

// sessionCommand holds the verbs of a session under one name.
func sessionCommand(a *app) *cobra.Command {
	c := family("session", "Start, watch and steer sessions",
		"  blaise session start --agent demo \"hello\"\n  blaise session list")
	c.AddCommand(sessionVerbs(a)...)
	return c
}

// sessionVerbs are made anew for each place where they stand.
func sessionVerbs(a *app) []*cobra.Command {
	verbs := []*cobra.Command{
		startCommand(a), chatCommand(a), sayCommand(a), setCommand(a), listCommand(a), showCommand(a), watchCommand(a),
		transcriptCommand(a), whyCommand(a), approveCommand(a), denyCommand(a),
	}
	verbs = append(append(verbs, endCommand(a)), actCommands(a)...)
	return append(verbs, withdrawCommand(a), diffCommand(a), pushCommand(a), restoreCommand(a), shellCommand(a), filesCommand(a))
}

// family is a command that only holds others.
func family(use, short, example string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			err := usage("unknown command %q for %q", args[0], cmd.CommandPath())
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				return err.WithHint("did you mean %s?", strings.Join(like, ", "))
			}
			return err.WithHint("see `%s --help`", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

func versionCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "version", Short: "Print the version", Example: "  blaise version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return printJSON(a.out, map[string]string{"version": programVersion()})
			}
			_, err := fmt.Fprintln(a.out, "blaise", programVersion())
			return err
		},
	})
}

// completionExamples gives cobra's own command what every command has.
func completionExamples(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Example = "  source <(blaise completion bash)"
		}
	}
}
