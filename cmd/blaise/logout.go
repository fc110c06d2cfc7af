package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func logoutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Sign this terminal out",
		Long: "Forgets what `blaise login` saved, and has Blaise end that sign-in; other terminals and\n" +
			"browsers of yours go on (`blaise user sign-out` ends them all). A token that was given\n" +
			"with --token is forgotten here alone (`blaise token personal revoke` ends it).",
		Example: "  blaise logout", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var p place
			err := readJSON(loginFile(), &p)
			if errors.Is(err, fs.ErrNotExist) {
				return blaise.Errorf(blaise.CodeNotFound, "this terminal is not signed in").
					WithHint("`blaise login` signs it in; `blaise whoami` says who commands act as here")
			}
			if err != nil {
				return err
			}
			ended := newClient(p).Logout(cmd.Context())
			if err := os.Remove(loginFile()); err != nil {
				return fmt.Errorf("forget the sign-in: %w", err)
			}
			if ended != nil && blaise.CodeOf(ended) != blaise.CodeDenied { // denied: it had ended before
				return fmt.Errorf("the sign-in is forgotten here, but not ended there: %w", ended)
			}
			_, err = fmt.Fprintf(a.out, "signed out of %s\n", p.URL)
			return err
		},
	}
}

func whoamiCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "whoami", Short: "Say who you are for Blaise, what you may do, and where it is",
		Example: "  blaise whoami\n  blaise whoami --json", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			me, err := c.Me(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, me)
			}
			_, err = fmt.Fprintf(a.out, "%s, %s, at %s\n", harmless(me.Name), me.Role, c.URL())
			return err
		}),
	})
}
