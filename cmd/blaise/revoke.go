package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func tokenRevokeCommand(a *app) *cobra.Command {
	var yes, afterDrain bool
	var timeout time.Duration
	c := &cobra.Command{
		Use: "revoke RUNNER", Short: "Make a runner's token and all its leases worthless",
		Long: "Revokes a token, named by the runner's name or id. Its runs are stopped without a\n" +
			"teardown; its sessions lose what is not saved, and what they left behind is listed as\n" +
			"lost. Without --yes it says how many sessions that are, and changes nothing.\n\n" +
			"With --after-drain the runner is offered nothing more; open turns get the time to end, then\n" +
			"everything that its sessions have there is taken down, those that sleep included, with the\n" +
			"work saved and sent to Blaise. When nothing is left the token is revoked. The next message\n" +
			"of a session begins a new environment from the saved work, on another runner; what the\n" +
			"agent itself remembers of the conversation stays behind.",
		Example: "  blaise token revoke laptop --after-drain\n  blaise token revoke laptop --yes",
		Args:    exactArgs("a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			r, err := findRunner(ctx, c, args[0])
			if err != nil {
				return err
			}
			if afterDrain {
				return a.revokeAfterDrain(ctx, c, r, timeout)
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
	c.Flags().BoolVar(&afterDrain, "after-drain", false, "when the work is with Blaise and nothing is left there")
	c.Flags().DurationVar(&timeout, "timeout", 30*time.Minute, "with --after-drain: cancel the turns that are open then")
	c.MarkFlagsMutuallyExclusive("yes", "after-drain")
	return c
}

func (a *app) revokeAfterDrain(ctx context.Context, c *api.Client, r api.Runner, timeout time.Duration) error {
	live, paused, err := sessionsAt(ctx, c, r.ID)
	if err != nil {
		return err
	}
	if err := c.RevokeTokenAfterDrain(ctx, r.ID, timeout); err != nil {
		return err
	}
	n := len(live) + len(paused)
	said := fmt.Sprintf("runner %s: it drains, and its token is revoked when nothing is left there", r.Name)
	if n > 0 { // what is held among it waits until it is released: `why` says so
		said += fmt.Sprintf("; what %s there is taken down first, with the work sent to Blaise", have(n))
	}
	if n > 0 && !slices.ContainsFunc(r.Instances, func(i api.Instance) bool { return i.Online }) {
		said += fmt.Sprintf("\nno daemon of it is there to do that: start it, or give up what is not with Blaise: "+
			"blaise token revoke %s --yes", r.Name)
	}
	_, err = fmt.Fprintf(a.out, "%s; see `blaise why %s`\n", said, r.Name)
	return err
}

func have(sessions int) string {
	if sessions == 1 {
		return "1 session has"
	}
	return fmt.Sprintf("%d sessions have", sessions)
}

// refuseRevoke says what a revocation would lose.
func refuseRevoke(ctx context.Context, c *api.Client, r api.Runner) error {
	live, paused, err := sessionsAt(ctx, c, r.ID)
	if err != nil {
		return err
	}
	err2 := blaise.Errorf(blaise.CodeRefused, "revoking the token of runner %s loses %s and %s", r.Name,
		blaise.Count(len(live), "live session"), blaise.Count(len(paused), "paused session"))
	if all := append(live, paused...); len(all) > 0 {
		err2.Message += ": " + strings.Join(all[:min(len(all), 20)], ", ")
	}
	return err2.WithHint("to keep their work: blaise token revoke %s --after-drain; if the token has leaked: "+
		"blaise token revoke %s --yes", r.Name, r.Name)
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
			if x.Environment.Rests() {
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
