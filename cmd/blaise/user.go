package main

import (
	"context"
	"fmt"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/server"

	"github.com/spf13/cobra"
)

func userCommand(a *app) *cobra.Command {
	c := family("user", "See and change who may sign in, and what they may do", "  blaise user list")
	c.AddCommand(userListCommand(a), userAddCommand(a), userInviteCommand(a), userRoleCommand(a), userRemoveCommand(a),
		userSignOutCommand(a))
	return c
}

func userListCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List the users", Example: "  blaise user list", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			all, err := c.Users(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, all)
			}
			t := table{head: []string{"NAME", "ROLE", "SIGNS IN BY", "ROLE GIVEN BY"}}
			for _, u := range all {
				by := "link"
				if u.Provider {
					by = "provider"
				}
				t.add(u.Name, u.Role, by, dash(u.By))
			}
			t.print(a.out, a.look())
			return nil
		}),
	})
}

func userAddCommand(a *app) *cobra.Command {
	var u api.NewUser
	c := a.jsonFlag(&cobra.Command{
		Use: "add NAME", Short: "Make a user and print a link that signs them in, once",
		Long: "Makes a user. Hand the link on: it signs one browser or terminal in as that user,\n" +
			"once, within 15 minutes. Where people sign in by an OpenID provider, name the user\n" +
			"by their address of email.",
		Example: "  blaise user add ann --role member\n  blaise user add ann@example.org --role admin",
		Args:    exactArgs("the name of the user"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			u.Name = args[0]
			l, err := c.AddUser(ctx, u)
			if err != nil {
				return err
			}
			return a.handOn(u.Name, l)
		}),
	})
	c.Flags().StringVar(&u.Role, "role", "member", "viewer, member or admin")
	return c
}

// handOn prints the link of another user, and what is to be done with it.
func (a *app) handOn(name string, l api.Link) error {
	if err := a.printLink(l); err != nil || a.json {
		return err
	}
	fmt.Fprintf(a.err, "send it to %s: it works once, within 15 minutes, in a browser or with `blaise login LINK`; "+
		"another: blaise user invite %s\n", name, name)
	if server.LeadsHere(l.URL) {
		fmt.Fprintln(a.err, "it leads to this machine alone: for others, start Blaise with --as, the address by which they reach it")
	}
	return nil
}

func userInviteCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "invite NAME", Short: "Print another link that signs a user in, once",
		Example: "  blaise user invite ann", Args: exactArgs("the name of the user"),
		ValidArgsFunction: a.complete(completeUser),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			l, err := c.InviteUser(ctx, args[0])
			if err != nil {
				return err
			}
			return a.handOn(args[0], l)
		}),
	})
}

func userRoleCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "role NAME ROLE", Short: "Change what a user may do, at once",
		Long: "A viewer reads. A member also starts sessions, says, answers and ends. An admin also\n" +
			"changes agents, runners and users, and may give work up (by force, mark-destroyed, lost).",
		Example: "  blaise user role ann admin", Args: exactArgs("the name of the user", "viewer, member or admin"),
		ValidArgsFunction: a.complete(completeUser, completeRole),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.SetRole(ctx, args[0], args[1]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "%s has the role %s now\n", args[0], args[1])
			return err
		}),
	}
}

func userRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a user and make all their tokens worthless",
		Long:    "The record keeps their name on what they did. Their sessions go on.",
		Example: "  blaise user remove ann", Args: exactArgs("the name of the user"),
		ValidArgsFunction: a.complete(completeUser),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.RemoveUser(ctx, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "%s is removed, and signed out everywhere\n", args[0])
			return err
		}),
	}
}

func userSignOutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "sign-out [NAME]", Short: "End all browsers and terminals that a user is signed in with",
		Long:    "Without a name it is you. Tokens for scripts go on, see `blaise token personal list`.",
		Example: "  blaise user sign-out\n  blaise user sign-out ann", Args: rangeArgs(0, 1, "the name of the user"),
		ValidArgsFunction: a.complete(completeUser),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if len(args) == 0 {
				return c.SignOut(ctx)
			}
			return c.SignOutUser(ctx, args[0])
		}),
	}
}

func completeUser(ctx context.Context, c *api.Client, _ []string) []string {
	all, err := c.Users(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, u := range all {
		names = append(names, u.Name+"\t"+u.Role)
	}
	return names
}

func completeRole(context.Context, *api.Client, []string) []string {
	return []string{"viewer\treads", "member\tstarts, says, answers, ends", "admin\tdoes everything"}
}
