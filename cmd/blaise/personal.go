package main

import (
	"context"
	"fmt"

	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func personalCommand(a *app) *cobra.Command {
	c := family("personal", "Make and revoke your own tokens for scripts", "  blaise token personal list")
	c.AddCommand(personalCreateCommand(a), personalListCommand(a), personalRevokeCommand(a))
	return c
}

func personalCreateCommand(a *app) *cobra.Command {
	var t api.NewPersonalToken
	c := a.jsonFlag(&cobra.Command{
		Use: "create NAME", Short: "Make a token for a script and print it, this once",
		Long: "Makes a token that acts as you, and opens no more than you may: its scope is read (as\n" +
			"a viewer), write (as a member) or admin. The script gives it as BLAISE_TOKEN, or as\n" +
			"`Authorization: Bearer TOKEN`. Another token can only be made by a person who signed in.",
		Example: "  blaise token personal create ci --scope write --expires 30d",
		Args:    exactArgs("a name that says what it is for"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			t.Name = args[0]
			made, err := c.NewPersonalToken(ctx, t)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, made)
			}
			fmt.Fprintf(a.err, "token %s, id %s, scope %s, good until %s; keep it, it is not shown again\n",
				made.Name, made.ID, made.Scope, made.ExpiresAt.Local().Format("2006-01-02 15:04"))
			_, err = fmt.Fprintln(a.out, made.Secret)
			return err
		}),
	})
	c.Flags().StringVar(&t.Scope, "scope", "read", "read, write or admin")
	c.Flags().StringVar(&t.Expires, "expires", "90d", "how long it is good, as 12h or 30d; 366d at most")
	return c
}

func personalListCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List your own tokens for scripts", Example: "  blaise token personal list", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			all, err := c.PersonalTokens(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, all)
			}
			t := table{head: []string{"ID", "SCOPE", "GOOD UNTIL", "NAME"}}
			for _, p := range all {
				t.add(p.ID, p.Scope, p.ExpiresAt.Local().Format("2006-01-02 15:04"), p.Name)
			}
			t.print(a.out, a.look())
			return nil
		}),
	})
}

func personalRevokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME|ID", Short: "Make one of your own tokens worthless",
		Example: "  blaise token personal revoke ci", Args: exactArgs("the name or id of the token"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.RevokePersonalToken(ctx, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "token %s opens nothing any more\n", args[0])
			return err
		}),
	}
}
