package main

import (
	"context"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func whyCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "why ID", Short: "Explain what a session, run, message or runner waits for",
		Example: "  blaise why k3v9\n  blaise why k3v9.2\n  blaise why laptop", Args: exactArgs("a session, run, message or runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := fullID(ctx, c, args[0])
			if blaise.CodeOf(err) == blaise.CodeNotFound && err != nil {
				id, err = args[0], nil // it may be a runner
			}
			if err != nil {
				return err
			}
			w, err := c.Why(ctx, id)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, w)
			}
			for _, l := range w.Lines {
				fmt.Fprintln(a.out, strings.Join(a.look().Words(oneLine(l, 4000), "", "  "), "\n"))
			}
			return nil
		}),
	})
}
