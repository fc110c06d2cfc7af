package main

import (
	"context"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func tokenCommand(a *app) *cobra.Command {
	c := family("token", "Make and revoke the tokens of runners", "  blaise token create laptop")
	c.AddCommand(tokenCreateCommand(a), tokenListCommand(a), tokenRevokeCommand(a))
	return c
}

func tokenCreateCommand(a *app) *cobra.Command {
	var t api.NewToken
	c := a.jsonFlag(&cobra.Command{
		Use: "create NAME", Short: "Make a runner and print its token, this once",
		Long: "Makes a runner. Its token goes to stdout and is shown this once; all daemons that\n" +
			"start with it are one runner.",
		Example: "  blaise token create laptop > runner.token\n  runner start --url URL --token-file runner.token",
		Args:    exactArgs("the name of a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			t.Name = args[0]
			made, err := c.NewToken(ctx, t)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, made)
			}
			fmt.Fprintf(a.err, "runner %s, id %s; keep the token, it is not shown again:\n", made.Name, made.ID)
			_, err = fmt.Fprintln(a.out, made.Secret)
			return err
		}),
	})
	c.Flags().StringToStringVar(&t.Labels, "label", nil, "a label that agents may require, `name=value`")
	c.Flags().BoolVar(&t.SingleUse, "single-use", false, "for one daemon and one run")
	return c
}

func tokenListCommand(a *app) *cobra.Command {
	c := runnerListCommand(a)
	c.Short, c.Example = "List the runners that tokens were made for", "  blaise token list"
	return c
}

func tokenRevokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "revoke RUNNER", Short: "Make a runner's token and all its leases worthless",
		Long: "Revokes a token, named by the runner's name or id. Its runs are stopped without a\n" +
			"teardown; what they left behind is listed as lost.",
		Example: "  blaise token revoke laptop", Args: exactArgs("a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			r, err := findRunner(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := c.RevokeToken(ctx, r.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "runner %s: its token is revoked\n", r.Name)
			return err
		}),
	}
}

// findRunner finds a runner by its id or name; of several with one name, the
// one whose token still works.
func findRunner(ctx context.Context, c *api.Client, given string) (api.Runner, error) {
	all, err := c.Runners(ctx)
	if err != nil {
		return api.Runner{}, err
	}
	var found []api.Runner
	for _, r := range all {
		if r.ID == blaise.RunnerID(given) {
			return r, nil
		}
		if r.Name == given {
			found = append(found, r)
		}
	}
	var live []api.Runner
	for _, r := range found {
		if !r.Revoked {
			live = append(live, r)
		}
	}
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(live) > 1:
		return api.Runner{}, usage("%d runners are called %s", len(live), given).
			WithHint("name one by its id; see `blaise runner list`")
	case len(found) > 0:
		return found[0], nil
	}
	return api.Runner{}, blaise.Errorf(blaise.CodeNotFound, "no runner is called %s", given).
		WithHint("see `blaise runner list`")
}
