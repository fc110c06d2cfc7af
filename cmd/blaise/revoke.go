package main

import (
	"context"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func tokenRevokeCommand(a *app) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "revoke RUNNER", Short: "Make a runner's token and all its leases worthless",
		Long: "Revokes a token, named by the runner's name or id. Its runs are stopped without a\n" +
			"teardown; its sessions lose what is not saved, and what they left behind is listed as\n" +
			"lost. Without --yes it says how many sessions that are, and changes nothing.",
		Example: "  blaise token revoke laptop\n  blaise token revoke laptop --yes",
		Args:    exactArgs("a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			r, err := findRunner(ctx, c, args[0])
			if err != nil {
				return err
			}
			if !yes {
				return refuseRevoke(ctx, c, r)
			}
			if err := c.RevokeToken(ctx, r.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "runner %s: its token is revoked\n", r.Name)
			return err
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "do it, whatever is lost with it")
	return c
}

// refuseRevoke says what a revocation would lose.
func refuseRevoke(ctx context.Context, c *api.Client, r api.Runner) error {
	live, paused, err := sessionsAt(ctx, c, r.ID)
	if err != nil {
		return err
	}
	err2 := blaise.Errorf(blaise.CodeRefused, "revoking the token of runner %s loses %s and %s", r.Name,
		plural(len(live), "live session"), plural(len(paused), "paused session"))
	if all := append(live, paused...); len(all) > 0 {
		err2.Message += ": " + strings.Join(all[:min(len(all), 20)], ", ")
	}
	return err2.WithHint("to keep their work, end them first (blaise end ID); then, or if the token has leaked: "+
		"blaise token revoke %s --yes", r.Name)
}

// sessionsAt are the sessions whose environments a runner holds: those that it
// works, and those that it could take up again or owes a teardown.
func sessionsAt(ctx context.Context, c *api.Client, id blaise.RunnerID) (live, paused []string, err error) {
	f := api.SessionFilter{Limit: 500}
	for {
		l, err := c.Sessions(ctx, f)
		if err != nil {
			return nil, nil, err
		}
		for _, x := range l.Sessions {
			if over(x.Environment) {
				continue
			}
			s, err := c.Session(ctx, x.ID)
			switch {
			case err != nil:
				return nil, nil, err
			case s.Runner != id:
			case s.Environment.State == blaise.EnvPaused, s.Environment.State == blaise.EnvUnattended:
				paused = append(paused, string(s.ID))
			default:
				live = append(live, string(s.ID))
			}
		}
		if l.Next == "" {
			return live, paused, nil
		}
		f.Before = l.Next
	}
}
