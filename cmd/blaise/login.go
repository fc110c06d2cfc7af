package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func loginCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "login LINK", Short: "Sign this terminal in with a sign-in link",
		Long: "Takes the sign-in link that Blaise printed when it started, or that `blaise open`\n" +
			"prints, and saves where Blaise is and a token of your own. With --token instead of a\n" +
			"link it saves --url and that token.",
		Example: "  blaise login \"http://127.0.0.1:4420/login?code=blc_...\"\n  blaise login --url http://127.0.0.1:4420 --token blu_...",
		Args:    rangeArgs(0, 1, "a sign-in link"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.signIn(cmd.Context(), args)
			if err != nil {
				return err
			}
			if err := writePrivateJSON(loginFile(), p); err != nil {
				return fmt.Errorf("save the sign-in: %w", err)
			}
			_, err = fmt.Fprintf(a.out, "signed in to %s (saved in %s)\n", p.URL, loginFile())
			return err
		},
	}
}

func (a *app) signIn(ctx context.Context, args []string) (place, error) {
	if len(args) == 0 {
		p := place{URL: a.url, Token: a.token}
		if p.URL == "" || p.Token == "" {
			return p, usage("no sign-in link is given").
				WithHint("give the link that Blaise printed when it started, or --url and --token")
		}
		// Ask for something, so that a wrong token is told now.
		_, err := newClient(p).Agents(ctx)
		return p, err
	}
	base, code, err := parseLink(args[0])
	if err != nil {
		return place{}, err
	}
	in, err := newClient(place{URL: base}).Login(ctx, code)
	return place{URL: base, Token: in.Token}, err
}

// parseLink takes a sign-in link apart.
func parseLink(link string) (base, code string, err error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return "", "", usage("%q is no sign-in link", link).WithHint("`blaise open` prints one")
	}
	if code = u.Query().Get("code"); code == "" {
		code = u.Fragment
	}
	code = strings.TrimPrefix(code, "code=")
	if code == "" {
		return "", "", usage("the link %q has no code in it", link).WithHint("`blaise open` prints one")
	}
	return u.Scheme + "://" + u.Host, code, nil
}

func (a *app) printLink(l api.Link) error {
	if a.json {
		return printJSON(a.out, l)
	}
	_, err := fmt.Fprintln(a.out, l.URL)
	return err
}
