package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"

	"golang.org/x/sync/errgroup"
)

const (
	instances = 64
	offered   = 1000
)

// A herd is the instances of one token that go for the same runs.
type herd struct {
	mu    sync.Mutex // guards what follows
	takes map[blaise.RunID]int
	took  []time.Duration
}

// accepts measures how long an instance waits for its accept while many of one
// token go for many runs, over HTTP, and that each run is taken once.
func accepts(ctx context.Context, o options) ([]row, error) {
	p, err := startPlane(ctx, o, "accepts")
	if err != nil {
		return nil, err
	}
	defer p.close()
	runner, secret, err := p.control.NewRunner(ctx, "bench", "herd", nil, false)
	if err != nil {
		return nil, err
	}
	for range offered {
		if _, err := p.control.Start(ctx, "bench", control.Start{Agent: "default", Text: "hello"}); err != nil {
			return nil, err
		}
	}
	h := &herd{takes: map[blaise.RunID]int{}}
	g, gctx := errgroup.WithContext(ctx)
	for i := range instances {
		c := api.NewClient(p.server.URL, secret, api.ClientOptions{Version: "bench"})
		g.Go(func() error { return h.instance(gctx, c, blaise.InstanceID(fmt.Sprintf("%s-%d", runner.Name, i))) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	floor, err := bareCommits(ctx, o)
	if err != nil {
		return nil, err
	}
	return []row{
		{
			name: fmt.Sprintf("accept, %d instances on one token, %d runs, p99", instances, offered),
			got:  quantile(h.took, 0.99), floor: quantile(floor, 0.99), limit: 50, unit: "ms",
		},
		{name: "the same: runs taken more or less than once", got: float64(h.wrong()), limit: 0},
	}, nil
}

// instance takes what is offered to it, one run after the other, until there is
// nothing more.
func (h *herd) instance(ctx context.Context, c *api.Client, id blaise.InstanceID) error {
	_, err := c.Hello(ctx, api.Hello{
		Instance: id, Boot: "b", Machine: blaise.MachineID(id), Slots: offered, Protocol: api.Protocol, Version: "bench",
	})
	if err != nil {
		return err
	}
	for {
		got, err := c.Offers(ctx, id, "b", 1, 0)
		if err != nil || len(got.Offers) == 0 {
			return err
		}
		began := time.Now()
		_, err = c.Accept(ctx, got.Offers[0].Run, api.Accept{Instance: id, Boot: "b", Nonce: string(id)})
		h.note(got.Offers[0].Run, time.Since(began), err)
		if err != nil && blaise.CodeOf(err) != blaise.CodeRefused {
			return err
		}
	}
}

func (h *herd) note(run blaise.RunID, took time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.took = append(h.took, took)
	if err == nil {
		h.takes[run]++
	}
}

// wrong is how many runs were not taken exactly once.
func (h *herd) wrong() int {
	n := offered - len(h.takes)
	for _, times := range h.takes {
		if times != 1 {
			n++
		}
	}
	return n
}
