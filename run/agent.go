package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/plug"
)

// An agent is one process of the coding agent, and the connection to it.
type agent struct {
	name   string
	client *acp.Client
	info   acp.Agent
	proc   plug.Process
	stderr *stderr
	duties *duties
	faults acp.Faults    // that it is known for
	gone   chan struct{} // closed when the process and the connection have ended
	exit   plug.Exit     // set by then
}

// diedError is an agent that ended by itself, with what it said last.
type diedError struct {
	name string
	exit plug.Exit
	last string
}

func (e diedError) Error() string {
	how := fmt.Sprintf("exit code %d", e.exit.Code)
	if e.exit.Signal != "" {
		how = "signal " + e.exit.Signal
	}
	if e.last == "" {
		return fmt.Sprintf("agent %s died: %s", e.name, how)
	}
	return fmt.Sprintf("agent %s died: %s; its last output:\n%s", e.name, how, e.last)
}

// startAgent starts the agent in the innermost place and shakes hands with it.
func (c *conversation) startAgent(ctx context.Context) (*agent, error) {
	a := &agent{
		name: c.command.name, gone: make(chan struct{}),
		stderr: &stderr{tell: c.r.record.tell, source: "agent"},
	}
	c.starts++
	a.duties = newDuties(c)
	in, out, err := a.spawn(ctx, c)
	if err != nil {
		return nil, err
	}
	a.client = acp.NewClient(in, out, a.duties, acp.Options{Log: c.r.log, Frames: c.wire.frame})
	go a.follow()
	ctx, cancel := context.WithTimeoutCause(ctx, c.r.lease.Limits.AgentStart,
		fmt.Errorf("no answer within limits.agentStart = %v", c.r.lease.Limits.AgentStart))
	defer cancel()
	a.info, err = a.client.Initialize(ctx,
		acp.ClientInfo{Name: "blaise", Title: "Blaise", Version: c.r.spec.Version},
		capabilities(c.offers))
	if err == nil {
		a.faults = acp.FaultsAt(acp.ProbesDir(c.r.spec.State), a.info.Name, a.info.Version)
		c.warn(a)
		return a, nil
	}
	err = a.explain(fmt.Errorf("start agent %s: %w", a.name, err))
	_ = a.proc.Kill() // it is of no use; the error says why
	<-a.gone
	if said := a.said(); said != "" && !errors.As(err, new(diedError)) {
		err = fmt.Errorf("%w; its last output:\n%s", err, said)
	}
	return nil, err
}

// warn tells of what only the user can prevent, once in a run.
func (c *conversation) warn(a *agent) {
	if why := a.faults[acp.DeletesLoaded]; why != "" && c.starts == 1 {
		c.r.notice(fmt.Sprintf("Agent %s may lose this conversation: %s.", a.name, why), nil)
	}
}

// said is what the agent wrote last that was not meant for us: often the reason
// why it does not start.
func (a *agent) said() string {
	return strings.TrimSpace(a.stderr.tail.Last(10) + "\n" + a.client.LastNoise())
}

// spawn starts the process; in and out are our ends of its stdin and stdout.
func (a *agent) spawn(ctx context.Context, c *conversation) (in, out *os.File, err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	a.proc, err = c.r.stack.Env().Start(ctx, plug.Cmd{
		Args: c.command.args, Env: append(c.command.env(), c.r.agentEnv...),
		Stdin: theirIn, Stdout: theirOut, Stderr: a.stderr,
	})
	if err == nil {
		return in, out, nil
	}
	_ = errors.Join(in.Close(), out.Close()) // nothing was written
	if errors.Is(err, plug.ErrCommandNotFound) || errors.Is(err, plug.ErrNotRunnable) {
		return nil, nil, refusal{c.command.missing(err)}
	}
	return nil, nil, fmt.Errorf("start agent %s: %w", a.name, err)
}

// follow runs the connection, and knows when the agent is gone: the process has
// ended, and all it wrote was handled.
func (a *agent) follow() {
	defer close(a.gone)
	talked := make(chan struct{})
	go func() {
		defer close(talked)
		_ = a.client.Run(context.Background()) // it ends with the process; calls fail with why
		_ = a.proc.Kill()                      // an agent that nobody can talk to
	}()
	a.exit, _ = a.proc.Wait() // a lost shim: exit stays zero, the connection tells
	_ = a.proc.Kill()         // the rest of its tree, or its stdout would stay open
	a.stderr.end()
	<-talked
	a.duties.end()
}

// explain adds to err, if the agent has died, how and what it said.
func (a *agent) explain(err error) error {
	if !errors.Is(err, acp.ErrClosed) {
		return err
	}
	<-a.gone
	return fmt.Errorf("%w: %w", err, a.death())
}

// death is for after gone.
func (a *agent) death() diedError {
	return diedError{name: a.name, exit: a.exit, last: a.said()}
}

// stop ends the agent within the grace, asking first: most agents end by
// themselves when their stdin ends, some only on TERM, some never. Closing gets
// a half of the grace at most, the end of stdin a fifth, TERM what is left. It
// returns when the agent's tree is empty.
func (a *agent) stop(ctx context.Context, session string, grace time.Duration) error {
	until := time.Now().Add(grace)
	if a.info.Close && session != "" {
		closing, cancel := context.WithTimeout(ctx, grace/2)
		_ = a.client.CloseSession(closing, session) // a courtesy
		cancel()
	}
	a.client.CloseInput()
	if a.faults.Has(acp.IgnoresEOF) || !a.ended(ctx, grace/5) {
		_ = a.proc.Signal(syscall.SIGTERM) // gone already is as good
		if !a.faults.Has(acp.IgnoresTERM) {
			a.ended(ctx, time.Until(until))
		}
	}
	err := a.proc.Kill()
	<-a.gone
	return err
}

func (a *agent) ended(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case <-a.gone:
		return true
	case <-ctx.Done():
		return false
	}
}
