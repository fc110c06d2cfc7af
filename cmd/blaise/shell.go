package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func shellCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "shell ID [-- COMMAND ARGS...]", Short: "Open a terminal where the agent works",
		Long: "Opens a terminal in the innermost layer of a session, beside its agent, or runs a command there:\n" +
			"then the exit code is the command's. A live session does not wait for the shell: when it pauses or\n" +
			"ends, the shell ends too. A paused session is opened for it by a run without an agent, which pauses\n" +
			"it again when the last shell is closed, or at once when a message comes; nothing is destroyed for a\n" +
			"shell. Who opened it, and how it ended, is in the record; what is typed and printed is not. The\n" +
			"secrets of the agent are not among its variables.",
		Example: "  blaise shell k3v9\n  blaise shell k3v9 -- make test", Args: minArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			return a.shell(ctx, c, id, args[1:])
		}),
	}
}

// A shellExit is the exit code of a command in a shell, that becomes ours. What
// there is to say of it the command has said.
type shellExit int

func (e shellExit) Error() string { return "" }

func (a *app) shell(ctx context.Context, c *api.Client, id blaise.SessionID, args []string) error {
	ask := api.ShellAsk{Args: args, Term: os.Getenv("TERM")}
	in := int(os.Stdin.Fd())
	ask.TTY = term.IsTerminal(in) && term.IsTerminal(int(os.Stdout.Fd()))
	if !ask.TTY && len(args) == 0 {
		return usage("stdin and stdout are no terminal").WithHint("name a command: blaise shell %s -- COMMAND", id)
	}
	if s, err := c.Session(ctx, id); err == nil && s.State == blaise.SessionPaused { // else the shell says why not
		fmt.Fprintf(a.err, "session %s is paused: its environment is opened for the shell\n", id)
	}
	line, err := c.Shell(ctx, id, strings.Join(args, " "))
	if err != nil {
		return err
	}
	defer line.Close("")
	if ask.TTY {
		ask.ShellSizes = sizeOf(in)
		was, err := term.MakeRaw(in)
		if err != nil {
			return fmt.Errorf("set terminal: %w", err)
		}
		defer term.Restore(in, was)
	}
	if err := line.Send(ctx, api.ShellStart, ask); err != nil {
		return fmt.Errorf("open shell: %w", err)
	}
	say := &shellSpeaker{ctx: ctx, line: line, said: make(chan shellSaid)}
	go say.input(os.Stdin) // ends with the program: nothing ends a read of a terminal
	if ask.TTY {
		go say.sizes(in)
	}
	go say.send()
	return a.shellOutput(ctx, line)
}

// shellOutput prints until the command has ended.
func (a *app) shellOutput(ctx context.Context, line *api.Shell) error {
	for {
		kind, body, err := line.Next(ctx)
		if err != nil {
			return blaise.Errorf(blaise.CodeUnreachable, "the shell was cut off: %v", err)
		}
		switch kind {
		case api.ShellOutput:
			_, err = a.out.Write(body)
		case api.ShellErrors:
			_, err = a.err.Write(body)
		case api.ShellExit:
			return exitOf(body)
		}
		if err != nil {
			return err
		}
	}
}

func exitOf(body []byte) error {
	var x api.ShellExited
	if err := json.Unmarshal(body, &x); err != nil {
		return fmt.Errorf("read exit code: %w", err)
	}
	switch {
	case x.Error != "":
		return fmt.Errorf("the shell ended: %s%w", x.Error, shellExit(x.Code))
	case x.Code != 0:
		return shellExit(x.Code)
	}
	return nil
}

func sizeOf(fd int) (s api.ShellSizes) {
	if cols, rows, err := term.GetSize(fd); err == nil {
		s.Rows, s.Cols = uint16(rows), uint16(cols)
	}
	return s
}

type shellSaid struct {
	kind byte
	what any
}

// A shellSpeaker sends what is typed, and sizes, one after the other.
type shellSpeaker struct {
	ctx  context.Context
	line *api.Shell
	said chan shellSaid
}

func (s *shellSpeaker) send() {
	for {
		select {
		case one := <-s.said:
			if s.line.Send(s.ctx, one.kind, one.what) != nil {
				return // who prints hears of it too
			}
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *shellSpeaker) input(from io.Reader) {
	for {
		b := make([]byte, api.ShellMessage)
		n, err := from.Read(b)
		if n > 0 {
			s.said <- shellSaid{kind: api.ShellInput, what: b[:n]}
		}
		if err != nil {
			s.said <- shellSaid{kind: api.ShellInput, what: []byte{}}
			return
		}
	}
}

func (s *shellSpeaker) sizes(fd int) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	for range changed {
		s.said <- shellSaid{kind: api.ShellSize, what: sizeOf(fd)}
	}
}
