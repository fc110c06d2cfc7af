package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func openCommand(a *app) *cobra.Command {
	var only bool
	c := a.jsonFlag(&cobra.Command{
		Use: "open [ID]", Short: "Open the dashboard, or a session's page, in your browser",
		Long: "Makes a link that signs one browser in, once, and leads to the dashboard or to a session's page.\n" +
			"It is printed, and opened where a browser can be: not over ssh, and not in a pipe.",
		Example: "  blaise open\n  blaise open k3v9\n  blaise open --print", Args: rangeArgs(0, 1, "a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			l, err := a.link(ctx, c, args)
			if err != nil {
				return err
			}
			if err := a.printLink(l); err != nil || only || !a.interactive() {
				return err
			}
			return a.browse(ctx, l.URL)
		}),
	})
	c.Flags().BoolVar(&only, "print", false, "only print the link")
	return c
}

// link leads to the dashboard or to the page of a session. Where the token makes
// no sign-in links it is the address alone, for a browser that is signed in.
func (a *app) link(ctx context.Context, c *api.Client, args []string) (api.Link, error) {
	page, query := "/", ""
	if len(args) == 1 {
		id, err := session(ctx, c, args[0])
		if err != nil {
			return api.Link{}, err
		}
		page, query = "/sessions/"+string(id), "&session="+string(id)
	}
	l, err := c.LoginLink(ctx)
	switch {
	case err == nil:
		l.URL += query
	case blaise.CodeOf(err) == blaise.CodeDenied:
		l, err = api.Link{URL: c.URL() + page}, nil
	}
	return l, err
}

// browse opens an address in the browser of this machine, if it has one.
func (a *app) browse(ctx context.Context, address string) error {
	program := browser()
	if program == "" {
		return nil
	}
	if out, err := exec.CommandContext(ctx, program, address).CombinedOutput(); err != nil {
		fmt.Fprintf(a.err, "%s did not open it (%v: %s); follow the link yourself\n", program, err, oneLine(string(out), 200))
	}
	return nil
}

// browser is the program that opens addresses; "" where there is no screen.
func browser() string {
	switch {
	case os.Getenv("BROWSER") != "":
		return os.Getenv("BROWSER")
	case os.Getenv("SSH_CONNECTION") != "":
		return ""
	case runtime.GOOS == "darwin":
		return "open"
	case os.Getenv("DISPLAY")+os.Getenv("WAYLAND_DISPLAY") != "":
		return "xdg-open"
	}
	return ""
}
