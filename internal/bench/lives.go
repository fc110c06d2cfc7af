package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"

	"golang.org/x/sync/errgroup"
)

const (
	livesMany  = 1000
	livesTell  = 20              // events of each
	livesEvery = 2 * time.Second // so often
)

// livesAtOnce measures what a control plane holds while many runs are connected to it
// as runners' are: each follows its directives, beats, and reports events.
func livesAtOnce(ctx context.Context, o options) ([]row, error) {
	s, err := startServed(ctx, o, "lives", nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	pid := s.procs[0].Process.Pid
	empty := statusMB(pid, "VmRSS:")
	all, err := s.beginMany(ctx, livesMany)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	for _, l := range all {
		following.Go(func() { listen(ctx, l, make(chan time.Time, 8)) })
	}
	before := cpu(pid)
	began := time.Now()
	if err := tellAll(ctx, all); err != nil {
		return nil, err
	}
	busy := (cpu(pid) - before).Seconds() / time.Since(began).Seconds()
	return []row{
		{
			name: fmt.Sprintf("%d live sessions on one control plane, most resident; beside none", livesMany),
			got:  statusMB(pid, "VmHWM:"), floor: empty, limit: 1024, unit: "MB",
		},
		{name: fmt.Sprintf("the same: cores busy with %d events a second", livesMany*10/2), got: busy, limit: 1, unit: "cores"},
	}, nil
}

// beginMany begins sessions, some at a time.
func (s *served) beginMany(ctx context.Context, n int) ([]live, error) {
	all := make([]live, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for i := range all {
		g.Go(func() (err error) {
			all[i], err = s.begin(ctx)
			return err
		})
	}
	return all, g.Wait()
}

// tellAll has every run report events for a while, ten at a time.
func tellAll(ctx context.Context, all []live) error {
	g, ctx := errgroup.WithContext(ctx)
	for i, l := range all {
		g.Go(func() error {
			time.Sleep(livesEvery * time.Duration(i) / time.Duration(len(all))) // spread as people are
			for n := int64(0); n < livesTell; n += 10 {
				if err := l.tell(ctx, n); err != nil {
					return err
				}
				if _, err := l.client.Beat(ctx, api.Beat{}); err != nil {
					return err
				}
				time.Sleep(livesEvery)
			}
			return nil
		})
	}
	return g.Wait()
}

// tell sends ten events after the n that were sent.
func (l live) tell(ctx context.Context, n int64) error {
	var batch []transcript.Entry
	for k := range int64(10) {
		e := chunk("some words that an agent says, as long as most are, and a few more")
		e.At = time.Now().UTC()
		x, err := entry(l.run.ID, n+k+1, e)
		if err != nil {
			return err
		}
		batch = append(batch, x)
	}
	_, err := l.client.Send(ctx, batch)
	return err
}
