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
	paste := false
	c := &cobra.Command{
		Use: "login ADDRESS|LINK", Short: "Sign this terminal in, with a browser or a sign-in link",
		Long: "With the address of Blaise it prints where to go with a browser that is signed in, or\n" +
			"signs in there, and waits for it; with --paste you bring what the page shows, from a\n" +
			"browser of any machine. It also takes a sign-in link, as Blaise printed when it\n" +
			"started, or `blaise open` prints. It saves where Blaise is and a token of your own;\n" +
			"with --token instead, --url and that token.",
		Example: "  blaise login https://blaise.example.org\n  blaise login \"http://127.0.0.1:4420/login?code=blc_...\"\n" +
			"  blaise login --url http://127.0.0.1:4420 --token blu_...",
		Args: rangeArgs(0, 1, "the address of Blaise, or a sign-in link"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.signIn(cmd.Context(), args, paste)
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
	c.Flags().BoolVar(&paste, "paste", false, "paste what the page shows, as the browser is on another machine")
	return c
}

func (a *app) signIn(ctx context.Context, args []string, paste bool) (place, error) {
	link := a.url
	if len(args) > 0 {
		link = args[0]
	}
	if link == "" {
		return place{}, usage("no address of Blaise is given").
			WithHint("give it, or the link that Blaise printed when it started, or --url and --token")
	}
	if len(args) == 0 && a.token != "" {
		// Ask for something, so that a wrong token is told now.
		p := place{URL: a.url, Token: a.token}
		_, err := newClient(p).Agents(ctx)
		return p, err
	}
	base, code, err := parseLink(link)
	if err == nil && code == "" {
		code, err = a.byBrowser(ctx, base, paste)
	}
	if err != nil {
		return place{}, err
	}
	in, err := newClient(place{URL: base}).Login(ctx, code)
	return place{URL: base, Token: in.Token}, err
}

// byBrowser gets the code of a link from a browser.
func (a *app) byBrowser(ctx context.Context, base string, paste bool) (string, error) {
	if !paste {
		return a.throughBrowser(ctx, base)
	}
	link, err := a.pasted(base)
	if err != nil {
		return "", err
	}
	_, code, err := parseLink(link)
	if err == nil && code == "" {
		err = usage("the link %q has no code in it", link).WithHint("paste the link that the page shows")
	}
	return code, err
}

// parseLink takes a sign-in link apart; the code is "" of an address alone.
func parseLink(link string) (base, code string, err error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return "", "", usage("%q is no sign-in link", link).WithHint("`blaise open` prints one")
	}
	if code = u.Query().Get("code"); code == "" {
		code = u.Fragment
	}
	code = strings.TrimPrefix(code, "code=")
	if code == "" && strings.Trim(u.Path, "/") != "" {
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
