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
	flags.Var(&a.colour, "color", "colours: always, never, or auto, by NO_COLOR and TERM")
	group(root, "system", "Run Blaise:", devCommand(a), serveCommand(a), loginCommand(a), logoutCommand(a), whoamiCommand(a),
		openCommand(a), backupCommand(a), serviceCommand(a))
	addVerbs(root, a)
	group(root, "admin", "Agents, runners and people:",
		applyCommand(a), agentCommand(a), tokenCommand(a), runnerCommand(a), userCommand(a), webhookCommand(a), auditCommand(a))
	group(root, "other", "Other:", sessionCommand(a), supportCommand(a), demoCommand(), versionCommand(a))
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	completionExamples(root)
	a.completions(root)
	return root
}

// group puts commands under a title of the help.
func group(parent *cobra.Command, id, title string, commands ...*cobra.Command) {
	parent.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, c := range commands {
		c.GroupID = id
		parent.AddCommand(c)
	}
}

// sessionCommand holds the verbs of a session under one name.
func sessionCommand(a *app) *cobra.Command {
	c := family("session", "The verbs of sessions, under one name",
		"  blaise session start --agent demo \"hello\"\n  blaise session list")
	addVerbs(c, a)
	return c
}

// addVerbs adds what is done with sessions; the verbs are made anew for each
// place where they stand.
func addVerbs(to *cobra.Command, a *app) {
	group(to, "talk", "Talk to an agent:", startCommand(a), chatCommand(a), sayCommand(a), watchCommand(a),
		approveCommand(a), denyCommand(a), actCommand(a, "cancel"), withdrawCommand(a), setCommand(a))
	group(to, "see", "See what happens:", listCommand(a), showCommand(a), whyCommand(a), transcriptCommand(a))
	group(to, "work", "What the agent made:", diffCommand(a), pushCommand(a), restoreCommand(a), shellCommand(a), filesCommand(a))
	group(to, "steer", "Steer a session:", pauseCommand(a), endCommand(a), actCommand(a, "retry"),
		actCommand(a, "hold"), actCommand(a, "release"), deleteCommand(a))
	group(to, "mend", "When something is broken:", actCommand(a, "retry-teardown"), actCommand(a, "mark-destroyed"), lostCommand(a))
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
			c.Args, c.RunE = cobra.ArbitraryArgs, completionOf
		}
	}
}

// completionOf is for a shell that there is no completion for; cobra would print
// its help and be content.
func completionOf(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	return usage("there is no completion for %q", args[0]).WithHint("one of bash, zsh, fish, powershell")
}
