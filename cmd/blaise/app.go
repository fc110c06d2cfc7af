package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/tty"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// An app is what the subcommands share: where Blaise is, and where to print.
type app struct {
	in       io.Reader
	out, err io.Writer
	screen   bool // out is a terminal
	width    int  // of it, 0 where it does not say
	terminal bool // in and out are one that can be painted on
	now      func() time.Time

	url, token, data string
	colour           colour // always, never, or as the terminal is
	json             bool
	began            bool // a command has begun: what fails now is no mistake of usage
}

func newApp() *app {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, now: time.Now}
	a.lookAt(os.Stdout)
	if a.screen {
		a.terminal = term.IsTerminal(int(os.Stdin.Fd())) && os.Getenv("TERM") != "dumb"
	}
	return a
}

// lookAt sees whether out is a terminal, and how wide. One may be and not know
// how wide: in a container, or behind a serial line.
func (a *app) lookAt(out *os.File) {
	if a.screen = term.IsTerminal(int(out.Fd())); a.screen {
		a.width, _, _ = term.GetSize(int(out.Fd())) // 0 if it does not say
	}
}

// command runs one command line and returns its exit code.
func command(ctx context.Context, args []string) int {
	a := newApp()
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	if !a.began && exitCode(err) == exitFailed {
		err = usage("%s", strings.Join(strings.Fields(err.Error()), " ")).
			WithHint("see `%s --help`", cmd.CommandPath())
	}
	explain(a.err, a.errLook(), nextStep(cmd, err))
	return exitCode(err)
}

// look is how what is printed on the terminal looks.
func (a *app) look() tty.Look {
	return tty.Look{Width: a.width, Colour: tty.Colours(string(a.colour), a.screen, os.Getenv)}
}

// errLook is how errors look.
func (a *app) errLook() tty.Look {
	return tty.Look{Colour: tty.Colours(string(a.colour), term.IsTerminal(int(os.Stderr.Fd())), os.Getenv)}
}

// interactive says that there is a person at a terminal that can be painted on.
func (a *app) interactive() bool { return a.terminal && !a.json }

// watched says that somebody reads what is said on stderr.
func (a *app) watched() bool { return term.IsTerminal(int(os.Stderr.Fd())) }

// client speaks to Blaise where it was found.
func (a *app) client() (*api.Client, error) {
	p, err := a.where()
	if err != nil {
		return nil, err
	}
	return newClient(p), nil
}

func newClient(p place) *api.Client {
	return api.NewClient(p.URL, p.Token, api.ClientOptions{Version: programVersion()})
}

// asks makes a command's body of one that needs a client.
func (a *app) asks(f func(ctx context.Context, c *api.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		return f(cmd.Context(), c, args)
	}
}

// jsonFlag gives a command that prints data its --json.
func (a *app) jsonFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}
