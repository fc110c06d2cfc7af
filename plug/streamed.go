package plug

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"blaise.dev/blaise/internal/shim"
)

// A reached is a place that is reached by streams: each command runs under a
// shim that was brought there, which carries all else over its stdin and stdout.
// Its methods are safe for concurrent use.
type reached struct {
	place Place
	dial  shim.Dial
	host  *Local // holds the run's fence and its mark

	mu   sync.Mutex // guards what follows
	lost map[*shim.Streamed]struct{}
}

var _ Env = (*reached)(nil)

// newReached answers an error if the stack's host is not one of ours: without
// the run's fence nothing may be started.
func newReached(s Scope, place Place, dial shim.Dial) (Env, error) {
	host, ok := s.Host.(*Local)
	if !ok {
		return nil, errors.New("the host of the stack has no fence (a bug of the caller)")
	}
	return &reached{place: place, dial: dial, host: host, lost: map[*shim.Streamed]struct{}{}}, nil
}

func (r *reached) Place() Place { return r.place }

// Start runs c there. Past the fence it waits, and what an earlier stream
// lost it ends first: two agents must not work in one place.
func (r *reached) Start(ctx context.Context, c Cmd) (Process, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("start command: no arguments")
	}
	if err := r.host.Fence.Await(ctx); err != nil {
		return nil, fmt.Errorf("start command %q: %w", c.Args[0], err)
	}
	if err := r.reap(); err != nil {
		return nil, fmt.Errorf("start command %q: %w", c.Args[0], err)
	}
	dir := r.place.abs(c.Dir)
	proc, err := shim.Over(ctx, r.dial, shim.Remote{
		Args: c.Args, Dir: dir,
		Env:   mergeEnv(r.place.Env, []string{"HOME=" + r.place.Home}, c.Env, []string{"PWD=" + dir}),
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, Merged: sameWriter(c.Stdout, c.Stderr),
		Fence: r.host.Fence.at(), Mark: r.host.Mark,
	})
	if err != nil {
		return nil, err
	}
	r.host.Fence.add(proc, ShimRef{})
	go r.follow(proc)
	return streamedProcess{proc}, nil
}

// follow takes the process off the fence when its tree is known to be empty. It
// ends with the process's stream.
func (r *reached) follow(p *shim.Streamed) {
	<-p.Gone()
	if p.Lost() {
		r.mu.Lock()
		r.lost[p] = struct{}{}
		r.mu.Unlock()
		return
	}
	r.host.Fence.remove(p)
}

// reap ends what was lost, through new streams.
func (r *reached) reap() error {
	r.mu.Lock()
	lost := slices.Collect(maps.Keys(r.lost))
	r.mu.Unlock()
	for _, p := range lost {
		if err := p.Kill(); err != nil {
			return err
		}
		r.host.Fence.remove(p)
		r.mu.Lock()
		delete(r.lost, p)
		r.mu.Unlock()
	}
	return nil
}

// A streamedProcess is a command at the other end of a stream.
type streamedProcess struct{ p *shim.Streamed }

var _ Process = streamedProcess{}

// PID is not known: it would be a number of another place.
func (p streamedProcess) PID() int                   { return 0 }
func (p streamedProcess) Signal(sig os.Signal) error { return p.p.Signal(sig) }
func (p streamedProcess) Kill() error                { return p.p.Kill() }

func (p streamedProcess) Wait() (Exit, error) {
	code, signal, err := p.p.Wait()
	return Exit{Code: code, Signal: signal}, err
}
