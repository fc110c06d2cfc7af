package main

import (
	"flag"
	"io"

	"blaise.dev/blaise/internal/demoagent"

	"github.com/spf13/cobra"
)

// demoOptions reads the flags of the demo agent, which starts without cobra.
func demoOptions(args []string) (demoagent.Options, error) {
	var o demoagent.Options
	f := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Home, "home", "", "")
	f.StringVar(&o.Witness, "witness", "", "")
	f.BoolVar(&o.NoLoad, "no-load", false, "")
	return o, f.Parse(args)
}

// demoCommand is the help of the demo agent; main runs it before the tree.
func demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "demo-agent", Short: "An agent without a model, to try Blaise with",
		Long: `A real agent of the Agent Client Protocol on stdin and stdout, without a model.
It obeys plain requests: hello, count, recall, write NAME TEXT, sleep SECONDS,
burst N, crash and more; send it "help". It keeps conversations on disk and can
load them again.`,
		Example: "  blaise start --agent demo --wait \"write hello.txt Hello\"",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.Flags().String("home", "", "where conversations are kept (BLAISE_DEMO_HOME)")
	c.Flags().String("witness", "", "a file that gets a line for each prompt (BLAISE_DEMO_WITNESS)")
	c.Flags().Bool("no-load", false, "do not offer to load conversations (BLAISE_DEMO_NOLOAD=1)")
	return c
}
