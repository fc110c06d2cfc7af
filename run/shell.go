package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/plug"
)

// shells are the terminals of people in the innermost place. They may be there
// as long as the agent may, and hold nothing up: a run that ends ends them.
type shells struct {
	r *run

	mu    sync.Mutex // guards what follows
	env   plug.Env   // nil before the layers are open, and after
	cut   []context.CancelCauseFunc
	here  int // how many there are
	alive sync.WaitGroup
	left  chan struct{} // told, by one that ends
}

func (s *shells) open(e plug.Env) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env = e
}

// end ends all, with why, and waits for it. It may be called before open.
func (s *shells) end(why error) {
	s.mu.Lock()
	s.env = nil
	for _, cut := range s.cut {
		cut(fmt.Errorf("the run ended: %w", why))
	}
	s.mu.Unlock()
	s.alive.Wait()
}

// begin is the place for one more shell, and the context it lives in.
func (s *shells) begin(life context.Context) (context.Context, plug.Env) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.env == nil {
		return life, nil
	}
	ctx, cut := context.WithCancelCause(life)
	s.cut = append(s.cut, cut)
	s.alive.Add(1)
	s.here++
	return ctx, s.env
}

// over is the end of one that began.
func (s *shells) over() {
	s.mu.Lock()
	s.here--
	s.mu.Unlock()
	select {
	case s.left <- struct{}{}:
	default: // who listens has yet to look
	}
	s.alive.Done()
}

func (s *shells) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.here == 0
}

// serve is one shell from its directive to its end.
func (s *shells) serve(life context.Context, key string) {
	ctx, env := s.begin(life)
	if env == nil {
		return // Blaise says that nobody came
	}
	defer s.over()
	line, err := s.r.client.JoinShell(ctx, key)
	if err != nil {
		s.r.log.Warn("shell not joined", "error", err)
		return
	}
	s.talk(ctx, env, line)
}

// talk starts what is asked for, carries its input and output, and says how it
// ended: before the reading stops, for that would close the line.
func (s *shells) talk(ctx context.Context, env plug.Env, line *api.Shell) {
	ctx, hungUp := context.WithCancelCause(ctx)
	defer hungUp(nil)
	p, in, err := s.start(ctx, env, line)
	if err != nil {
		say(ctx, line, api.ShellExited{Code: 127, Error: s.r.secrets.String(err.Error())})
		return
	}
	var input sync.WaitGroup
	defer input.Wait()
	defer in.Close()
	input.Go(func() {
		hungUp(feed(context.WithoutCancel(ctx), line, in))
	})
	unhook := context.AfterFunc(ctx, func() { _ = p.Kill() })
	exit, err := p.Wait()
	unhook()
	_ = p.Kill() // what it left in the background goes with it
	switch {
	case ctx.Err() != nil:
		say(ctx, line, api.ShellExited{Code: 1, Error: context.Cause(ctx).Error()})
	case err != nil:
		say(ctx, line, api.ShellExited{Code: 1, Error: err.Error()})
	case exit.Signal != "":
		say(ctx, line, api.ShellExited{Code: 1, Error: "killed by " + exit.Signal})
	default:
		say(ctx, line, api.ShellExited{Code: exit.Code})
	}
}

// sayLimit is how long the last word may take.
const sayLimit = 2 * time.Second

func say(ctx context.Context, line *api.Shell, exit api.ShellExited) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sayLimit)
	defer cancel()
	_ = line.Send(ctx, api.ShellExit, exit) // a person who has gone needs none
	line.Close("")
}

// loginShell is the best shell there is where it runs.
var loginShell = []string{"/bin/sh", "-c", `s=$(command -v bash || command -v sh); exec "$s" -l`}

func (s *shells) start(ctx context.Context, env plug.Env, line *api.Shell) (plug.Process, io.WriteCloser, error) {
	kind, body, err := line.Next(ctx)
	if err != nil {
		return nil, nil, err
	}
	var ask api.ShellAsk
	if kind != api.ShellStart || json.Unmarshal(body, &ask) != nil {
		return nil, nil, errors.New("what to run was not understood")
	}
	c := plug.Cmd{
		Args: ask.Args, Env: append([]string{"TERM=" + cmp.Or(ask.Term, "dumb")}, s.r.plainEnv...),
		Stdout: lineWriter{ctx, line, api.ShellOutput}, Stderr: lineWriter{ctx, line, api.ShellErrors},
	}
	if len(c.Args) == 0 {
		c.Args = loginShell
	}
	if ask.TTY {
		t, err := plug.StartTerminal(ctx, env, c, ask.Rows, ask.Cols)
		return t, t, err
	}
	stdin, in := io.Pipe()
	c.Stdin = stdin
	p, err := env.Start(ctx, c)
	return p, in, err
}

// feed brings what the person types, until that ends.
func feed(ctx context.Context, line *api.Shell, in io.WriteCloser) error {
	for {
		kind, body, err := line.Next(ctx)
		if err != nil {
			return fmt.Errorf("hung up: %w", err)
		}
		switch t, tty := in.(*plug.Terminal); {
		case kind == api.ShellInput && len(body) == 0:
			_ = in.Close()
		case kind == api.ShellInput:
			_, _ = in.Write(body) // a command that reads no more is no error
		case kind == api.ShellSize && tty:
			var size api.ShellSizes
			if json.Unmarshal(body, &size) == nil {
				_ = t.Resize(size.Rows, size.Cols)
			}
		}
	}
}

// A lineWriter sends what is written as messages of one kind.
type lineWriter struct {
	ctx  context.Context
	line *api.Shell
	kind byte
}

// Write blocks while the other side reads nothing.
func (w lineWriter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		part := b[n:min(n+api.ShellMessage, len(b))]
		if err := w.line.Send(w.ctx, w.kind, part); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}
