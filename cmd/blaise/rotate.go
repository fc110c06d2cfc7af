package main

import (
	"context"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"

	"github.com/spf13/cobra"
)

func tokenRotateCommand(a *app) *cobra.Command {
	var out, overlap string
	c := a.jsonFlag(&cobra.Command{
		Use: "rotate RUNNER", Short: "Give a runner a new token; the old one holds a while",
		Long: "Gives a runner a new token, printed this once. The old one is good beside it for the\n" +
			"overlap, so that its daemons can be given the new one in any order: write it into their\n" +
			"token files; a daemon reads its file again when the old token is refused, or on HUP. The\n" +
			"runner stays the same and keeps its sessions; runs do not notice.",
		Example: "  blaise token rotate laptop --overlap 24h --out laptop-new.token",
		Args:    exactArgs("a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			holds, err := control.ParseDuration(overlap)
			if err != nil {
				return usage("--overlap: %v", err)
			}
			if err := newFile(out); err != nil {
				return err
			}
			r, err := findRunner(ctx, c, args[0])
			if err != nil {
				return err
			}
			made, err := c.RotateToken(ctx, r.ID, holds)
			if err != nil {
				return err
			}
			return a.giveToken(made, out)
		}),
	})
	c.Flags().StringVar(&out, "out", "", "write the token into this new file, for you alone to read")
	c.Flags().StringVar(&overlap, "overlap", "24h", "how long the old token is good, as 12h or 7d; 30d at most, 0 for not at all")
	return c
}
