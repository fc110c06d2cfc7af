package plug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"blaise.dev/blaise/internal/shim"
)

// A sandboxProxy is the process in the outer place that lets a sandbox out to
// what its rules allow. It lives as long as the layer is open in this run.
type sandboxProxy struct {
	proc   Process
	socket string
	port   int
}

// openProxy returns when the proxy listens.
func openProxy(ctx context.Context, s Scope, outer Env, base string, rules []string) (*sandboxProxy, error) {
	p := &sandboxProxy{socket: filepath.Join(base, socketName)}
	said := &refusalLines{scope: s, port: make(chan int, 1)}
	errs := &capped{most: 4 << 10}
	args := []string{outer.Place().Shim, "shim", "proxy", "--tcp", "--socket", p.socket, "--"}
	var err error
	p.proc, err = outer.Start(ctx, Cmd{Args: append(args, rules...), Stdout: said, Stderr: errs})
	if err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	ended := make(chan struct{})
	go func() { // ends with the proxy
		defer close(ended)
		_, _ = p.proc.Wait()
	}()
	select {
	case p.port = <-said.port:
		return p, nil
	case <-ended:
		err = fmt.Errorf("start proxy: %s", strings.TrimSpace(errs.kept.String()))
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(err, p.close())
}

func (p *sandboxProxy) close() error { return p.proc.Kill() }

// refusalLines notes what the proxy says.
type refusalLines struct {
	scope Scope
	port  chan int // once
	held  []byte
}

func (r *refusalLines) Write(b []byte) (int, error) {
	r.held = append(r.held, b...)
	for {
		line, rest, whole := bytes.Cut(r.held, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		r.held = rest
		r.take(line)
	}
}

func (r *refusalLines) take(line []byte) {
	var said shim.Refusal
	switch err := json.Unmarshal(line, &said); {
	case err != nil:
	case said.Where != "":
		note(r.scope, "The sandbox refused a connection to %s: %s.", said.Where, said.Why)
	default:
		select {
		case r.port <- said.Port:
		default: // it says so once
		}
	}
}
