package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

const subscribers = 1000

// directives measures how long a directive takes from the decision to the run,
// with many runs that listen.
func directives(ctx context.Context, o options) ([]row, error) {
	p, err := startPlane(ctx, o, "directives")
	if err != nil {
		return nil, err
	}
	defer p.close()
	ctx, cancel := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	lives := make([]live, subscribers)
	got := make([]chan time.Time, subscribers)
	for i := range lives {
		if lives[i], err = p.begin(ctx); err != nil {
			return nil, err
		}
		got[i] = make(chan time.Time, 8)
		before := p.busy.Load()
		listening.Go(func() { listen(ctx, lives[i], got[i]) })
		for p.busy.Load() <= before {
			time.Sleep(time.Millisecond)
		}
	}
	var took []time.Duration
	for i, l := range lives {
		began := time.Now()
		_, err := p.control.Report(ctx, l.run, control.Report{N: 1, Event: blaise.Event{Kind: blaise.EventOpened}})
		if err != nil {
			return nil, err
		}
		select {
		case at := <-got[i]:
			took = append(took, at.Sub(began))
		case <-time.After(10 * time.Second):
			return nil, fmt.Errorf("directive %d did not arrive", i)
		}
	}
	return []row{{
		name: fmt.Sprintf("directive to run, %d subscribers, p99", subscribers),
		got:  quantile(took, 0.99), floor: quantile(took, 0.5), limit: 10, unit: "ms",
	}}, nil
}

// listen follows a run's directives and says when one came.
func listen(ctx context.Context, l live, got chan<- time.Time) {
	_ = l.client.FollowDirectives(ctx, 0, func(d api.Directives) error {
		if len(d.Directives) > 0 {
			got <- time.Now()
		}
		return nil
	}) // ends with ctx
}
