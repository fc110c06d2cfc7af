package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"blaise.dev/blaise/transcript"

	"github.com/spf13/cobra"
)

const about = `The runner takes runs from Blaise and works them on this machine: it opens the
plugs of blaise.yml, starts the coding agent inside them, and reports what
happens. It keeps its state in one directory; runs live on when it is restarted.`

// An app is what the subcommands share.
type app struct {
	out, err io.Writer
	state    string
	config   string
	json     bool
	began    bool // a command has begun: what fails now is no mistake of usage
}

// execute runs one command line and returns its exit code.
func execute(args []string) int {
	a := &app{out: os.Stdout, err: os.Stderr}
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return exitDone
	}
	if !a.began && exitCode(err) == exitFailed {
		err = usage("%v", err).WithHint("see `runner --help`")
	}
	explain(a.err, err)
	return exitCode(err)
}

func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use: "runner", Short: "Work the runs of Blaise on this machine", Long: about,
		Example:       "  runner check\n  runner start --url https://blaise.example --token-file token",
		SilenceErrors: true, SilenceUsage: true, Version: programVersion(),
		PersistentPreRun: func(*cobra.Command, []string) { a.began = true },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.state, "state", defaultState(), "the state directory")
	flags.StringVar(&a.config, "config", defaultConfig, "the configuration")
	root.AddCommand(
		startCommand(a), checkCommand(a), plugsCommand(a), runsCommand(a),
		doctorCommand(a), inventoryCommand(a), reapCommand(a), detachCommand(a), drainCommand(a), probeCommand(a), runCommand(),
		serviceCommand(a), versionCommand(a),
	)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Example = "  source <(runner completion bash)"
			c.Args, c.RunE = cobra.ArbitraryArgs, completionOf
		}
	}
	return root
}

const defaultConfig = "blaise.yml" // in the folder that a command is run in

// runCommand is the help of what dispatch does itself.
func runCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run", Hidden: true, Args: cobra.NoArgs,
		Short:   "Work one run, whose spec is on stdin (the daemon starts this)",
		Example: "  runner run < spec.json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

func versionCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "version", Short: "Print the version", Example: "  runner version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.print(map[string]string{"version": programVersion()})
			}
			_, err := fmt.Fprintln(a.out, "runner", programVersion())
			return err
		},
	})
}

// jsonFlag gives a command that prints data its --json.
func (a *app) jsonFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}

func (a *app) print(v any) error { return transcript.PrintJSON(a.out, v, "  ") }

// completionOf is for a shell that there is no completion for; cobra would print
// its help and be content.
func completionOf(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	return usage("there is no completion for %q", args[0]).WithHint("one of bash, zsh, fish, powershell")
}
