package main

import (
	"context"
	"fmt"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

// An act is something a person does to a session, with a reason.
type act struct {
	use, short string
	done       string // said when it is done
	mustReason bool
	mayForce   bool
	do         func(context.Context, *api.Client, blaise.SessionID, api.Act) error
}

// withReason makes an act of a call that takes no more than a reason.
func withReason(
	call func(*api.Client, context.Context, blaise.SessionID, string) error,
) func(context.Context, *api.Client, blaise.SessionID, api.Act) error {
	return func(ctx context.Context, c *api.Client, id blaise.SessionID, x api.Act) error {
		return call(c, ctx, id, x.Reason)
	}
}

var acts = []act{
	{
		use: "cancel", short: "Cancel the turn that is open", done: "asked to cancel its turn",
		do: withReason((*api.Client).Cancel),
	},
	{
		use: "retry", short: "Try again what a queued message waits for", done: "tried again",
		do: func(ctx context.Context, c *api.Client, id blaise.SessionID, _ api.Act) error {
			return c.Retry(ctx, id)
		},
	},
	{
		use: "retry-teardown", short: "Tear an orphaned environment down again",
		done: "its teardown is tried again", mayForce: true,
		do: func(ctx context.Context, c *api.Client, id blaise.SessionID, x api.Act) error {
			return c.RetryTeardown(ctx, id, x)
		},
	},
	{
		use: "mark-destroyed", short: "Say that an environment is gone, when Blaise cannot see it",
		done: "marked destroyed", mustReason: true, do: withReason((*api.Client).MarkDestroyed),
	},
	{
		use: "hold", short: "Freeze a session: no clock, no teardown, no new run", done: "held",
		do: withReason((*api.Client).Hold),
	},
	{
		use: "release", short: "Let a held session go on", done: "released",
		do: func(ctx context.Context, c *api.Client, id blaise.SessionID, _ api.Act) error {
			return c.Release(ctx, id)
		},
	},
}

// actCommand is the command of one of the acts.
func actCommand(a *app, use string) *cobra.Command {
	x := acts[slices.IndexFunc(acts, func(x act) bool { return x.use == use })]
	var body api.Act
	example, use := "  blaise "+x.use+" k3v9", x.use+" ID"
	if x.mustReason {
		use = x.use + " ID --reason WHY"
		example += " --reason \"the machine is gone\""
	}
	c := &cobra.Command{
		Use: use, Short: x.short, Example: example, Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if x.mustReason && body.Reason == "" {
				return usage("%s needs a --reason: it is kept in the record", x.use)
			}
			if body.Force && body.Reason == "" {
				return usage("giving up the work needs a --reason: it is kept in the record")
			}
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := x.do(ctx, c, id, body); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "session %s: %s\n", id, x.done)
			return err
		}),
	}
	about := "why, for the record"
	if x.mustReason {
		about += "; required"
	}
	c.Flags().StringVar(&body.Reason, "reason", "", about)
	if x.mayForce {
		c.Flags().BoolVar(&body.Force, "discard", false, "destroy even if the work cannot be saved")
		c.Flags().BoolVar(&body.Force, "force", false, "the same as --discard")
	}
	return c
}

func withdrawCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "withdraw ID MESSAGE", Short: "Take back a message that is still queued",
		Example: "  blaise withdraw k3v9 m2", Args: exactArgs("a session", "a message"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			m := blaise.MessageID(within(id, args[1]))
			if err := c.Withdraw(ctx, id, m); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "message %s: withdrawn\n", m)
			return err
		}),
	}
}

func lostCommand(a *app) *cobra.Command {
	var yes bool
	var reason string
	c := &cobra.Command{
		Use: "lost RUN", Short: "Declare a run lost before its time",
		Long: "Declares a run lost that cannot be heard, so that another may start. If the run still\n" +
			"lives, two agents work in one environment until it hears that its lease is over.",
		Example: "  blaise lost k3v9.2 --yes --reason \"the machine burned down\"", Args: exactArgs("a run"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if !yes {
				return usage("a run that still lives would share its environment with the next one").
					WithHint("if you are sure that it is dead, add --yes")
			}
			if err := c.Lost(ctx, blaise.RunID(args[0]), reason); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "run %s: declared lost\n", args[0])
			return err
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "the run is dead")
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	return c
}
