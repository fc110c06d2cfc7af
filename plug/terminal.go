package plug

import (
	"context"
	"io"
	"strconv"

	"blaise.dev/blaise/internal/shim"
)

// A Terminal is a command that runs on a terminal of its own, made where the
// command runs, so that every layer passes it. Output goes to the Cmd's Stdout.
// Write and Resize may not be called at once.
type Terminal struct {
	Process
	in io.WriteCloser
}

// StartTerminal starts c on a terminal in e. c.Stdin is not used, and c.Stderr
// gets only why it did not start.
func StartTerminal(ctx context.Context, e Env, c Cmd, rows, cols uint16) (*Terminal, error) {
	var in io.WriteCloser
	c.Stdin, in = io.Pipe()
	c.Args = append([]string{e.Place().Shim, "shim", "tty",
		strconv.Itoa(int(rows)), strconv.Itoa(int(cols))}, c.Args...)
	p, err := e.Start(ctx, c)
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	return &Terminal{Process: p, in: in}, nil
}

// Write types b.
func (t *Terminal) Write(b []byte) (int, error) {
	if _, err := t.in.Write(shim.TTYInput(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Resize tells the terminal its size.
func (t *Terminal) Resize(rows, cols uint16) error {
	_, err := t.in.Write(shim.TTYSize(rows, cols))
	return err
}

// Close hangs up.
func (t *Terminal) Close() error { return t.in.Close() }
