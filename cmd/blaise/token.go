package main

import (
	"context"
	"fmt"
	"os"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func tokenCommand(a *app) *cobra.Command {
	c := family("token", "Make and revoke the tokens of runners, and your own", "  blaise token create laptop")
	c.AddCommand(tokenCreateCommand(a), tokenListCommand(a), tokenRotateCommand(a), tokenRevokeCommand(a), personalCommand(a))
	return c
}

func tokenCreateCommand(a *app) *cobra.Command {
	var t api.NewToken
	var out string
	c := a.jsonFlag(&cobra.Command{
		Use: "create NAME", Short: "Make a runner and print its token, this once",
		Long: "Makes a runner. Its token goes to stdout and is shown this once, or into a\n" +
			"file for you alone; all daemons that start with it are one runner. Keep it outside of\n" +
			"every repository.",
		Example: "  blaise token create laptop --out ~/.config/blaise/laptop.token\n" +
			"  runner start --url URL --token-file ~/.config/blaise/laptop.token\n" +
			"  blaise token create ci-4711 --single-use --label pool=ci",
		Args: exactArgs("the name of a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			t.Name = args[0]
			if err := newFile(out); err != nil {
				return err
			}
			a.warnSame(ctx, c, t.Name)
			made, err := c.NewToken(ctx, t)
			if err != nil {
				return err
			}
			return a.giveToken(made, out)
		}),
	})
	c.Flags().StringToStringVar(&t.Labels, "label", nil, "a label that agents may require, `name=value`")
	c.Flags().StringVar(&out, "out", "", "write the token into this new file, for you alone to read")
	c.Flags().BoolVar(&t.SingleUse, "single-use", false, "for one daemon and one session; good for 15 minutes if nobody uses it")
	c.Flags().StringVar((*string)(&t.Session), "session", "", "with --single-use: for this session alone")
	return c
}

// newFile refuses a file that is there already.
func newFile(path string) error {
	if _, err := os.Lstat(path); path != "" && err == nil {
		return blaise.Errorf(blaise.CodeRefused, "%s is there already", path).
			WithHint("a token that is written over is lost: name another file")
	}
	return nil
}

// giveToken hands out a token that was just made: into a file, if one is named.
func (a *app) giveToken(made api.Token, out string) error {
	if out != "" {
		return a.keepToken(made, out)
	}
	if a.json {
		return printJSON(a.out, made)
	}
	fmt.Fprintf(a.err, "runner %s, id %s; keep the token, it is not shown again\n", made.Name, made.ID)
	_, err := fmt.Fprintln(a.out, made.Secret)
	return err
}

// keepToken writes a token where it was told to; if it cannot, it is shown.
func (a *app) keepToken(made api.Token, path string) error {
	if err := writePrivate(path, []byte(made.Secret+"\n")); err != nil {
		fmt.Fprintln(a.out, made.Secret)
		return fmt.Errorf("keep the token, which is above: %w", err)
	}
	if a.json {
		made.Secret = ""
		return printJSON(a.out, made)
	}
	_, err := fmt.Fprintf(a.out, "runner %s, id %s; its token is in %s\n", made.Name, made.ID, path)
	return err
}

// warnSame says that a runner of that name is there: two of one name are told
// apart by their ids alone.
func (a *app) warnSame(ctx context.Context, c *api.Client, name string) {
	all, err := c.Runners(ctx)
	if err != nil {
		return // it is a warning; the call itself says what is wrong
	}
	for _, r := range all {
		if r.Name == name && !r.Revoked {
			fmt.Fprintf(a.err, "warning: there is a runner %s already (id %s); this makes another, "+
				"which cannot take its sessions on\n", name, r.ID)
		}
	}
}

func tokenListCommand(a *app) *cobra.Command {
	c := runnerListCommand(a)
	c.Short, c.Example = "List the runners that tokens were made for", "  blaise token list"
	return c
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
