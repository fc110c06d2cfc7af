package main

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"golang.org/x/sync/errgroup"
)

// alive are the states of an environment that a live process works in.
var alive = map[blaise.EnvironmentState]bool{
	blaise.EnvCreating: true, blaise.EnvResuming: true, blaise.EnvOpen: true,
	blaise.EnvPausing: true, blaise.EnvTearingDown: true,
}

// pause has Blaise pause every session that runs, and waits until they have.
// What does not pause in time goes on by itself; the next dev takes it up.
func (h *house) pause(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pauseAll)
	defer cancel()
	c := h.plane.client(h.token)
	asked := map[blaise.SessionID]bool{}
	for {
		running, err := h.running(ctx, c)
		if err != nil {
			h.log.Warn("sessions not paused", "error", err)
			return
		}
		if len(running) == 0 {
			return
		}
		if len(asked) == 0 {
			fmt.Fprintf(h.a.out, "Pausing %d running; Ctrl-C again leaves at once.\n", len(running))
		}
		h.askPause(ctx, c, running, asked)
		select {
		case <-ctx.Done():
			fmt.Fprintf(h.a.out, "%d did not pause in %s; they go on, and the next start takes them up.\n",
				len(running), pauseAll)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (h *house) running(ctx context.Context, c *api.Client) ([]api.Summary, error) {
	var running []api.Summary
	f := api.SessionFilter{Limit: 500}
	for {
		l, err := c.Sessions(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, s := range l.Sessions {
			if alive[s.Environment] {
				running = append(running, s)
			}
		}
		if l.Next == "" {
			return running, nil
		}
		f.Before = l.Next
	}
}

// askPause asks each session once. A refusal is no matter: it is going already.
func (h *house) askPause(
	ctx context.Context, c *api.Client, running []api.Summary, asked map[blaise.SessionID]bool,
) {
	var g errgroup.Group
	for _, s := range running {
		if asked[s.ID] || s.State == blaise.SessionEnded {
			continue
		}
		asked[s.ID] = true
		g.Go(func() error {
			if err := c.Pause(ctx, s.ID, "blaise dev was stopped; send again what was cancelled by it"); err != nil {
				h.log.Info("session not paused", "session", s.ID, "error", err)
			}
			return nil
		})
	}
	_ = g.Wait() // each said what it had to say
}
