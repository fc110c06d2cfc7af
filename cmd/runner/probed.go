package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/plug"
)

// probed is the agent that `runner probe` tries.
type probed struct {
	name    string
	preset  acp.Preset
	command []string
	env     []string
	dir     string
	missing bool // there is no such program
}

// start starts the agent as a run does: under a shim that ends its whole tree.
func (t *probed) start(ctx context.Context) (*acp.Spawned, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	stderr := &tail{}
	host := &plug.Local{Dir: t.dir}
	proc, err := host.Start(ctx, plug.Cmd{
		Args: t.command, Dir: t.dir, Env: t.env, Stdin: theirIn, Stdout: theirOut, Stderr: stderr,
	})
	if err != nil {
		t.missing = errors.Is(err, plug.ErrCommandNotFound)
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_, _ = proc.Wait() // that it ended is all that counts
	}()
	return &acp.Spawned{
		In: in, Out: out, Exited: exited, Stderr: stderr.String,
		Term: func() { _ = proc.Signal(syscall.SIGTERM) },
		Kill: func() {
			_ = proc.Kill() // its tree is gone when this returns, or the shim is
			<-exited
		},
	}, nil
}

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex // over kept
	kept []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// probes are what was found on this machine, for Blaise to show.
func probes(state string) []blaise.Probed {
	found, err := acp.LoadProbes(acp.ProbesDir(state))
	if err != nil {
		return nil // it is only shown
	}
	var list []blaise.Probed
	for _, p := range found {
		one := blaise.Probed{
			Name: p.Name, Agent: p.Agent, Version: p.Version, At: p.At, OK: p.OK, Todo: p.Todo,
		}
		for _, f := range slices.Sorted(maps.Keys(p.Faults)) {
			one.Faults = append(one.Faults, string(f))
		}
		list = append(list, one)
	}
	return list
}
