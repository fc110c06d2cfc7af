package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/transcript"
)

const (
	listed = 200    // sessions, of which a list shows the latest
	told   = 10_000 // events of a long conversation
)

// terminal measures what a person at a terminal waits for: a command as a whole,
// beside one that only starts, and a long conversation until all of it is told.
func terminal(ctx context.Context, o options) ([]row, error) {
	p, err := startPlane(ctx, o, "terminal")
	if err != nil {
		return nil, err
	}
	defer p.close()
	token, err := p.control.NewUserToken(ctx, "bench", control.RoleAdmin)
	if err != nil {
		return nil, err
	}
	for n := range listed {
		if _, err := p.control.Start(ctx, "bench", control.Start{Agent: "default", Text: fmt.Sprintf("mend bug %d", n)}); err != nil {
			return nil, err
		}
	}
	var lists, starts []time.Duration
	for range 3 * o.times {
		if err := timed(&starts, func() error { return command(ctx, o, "version") }); err != nil {
			return nil, err
		}
		list := func() error { return command(ctx, o, "list", "--url", p.server.URL, "--token", token) }
		if err := timed(&lists, list); err != nil {
			return nil, err
		}
	}
	long, err := longTalk(ctx, o, p, api.NewClient(p.server.URL, token, api.ClientOptions{}))
	if err != nil {
		return nil, err
	}
	return []row{
		{name: "`blaise list` as a whole, median; beside `blaise version`", got: median(lists), floor: median(starts), limit: 50, unit: "ms"},
		{name: "10,000 events read and told for a terminal", got: float64(long.Milliseconds()), limit: 500, unit: "ms"},
	}, nil
}

// command runs one of blaise.
func command(ctx context.Context, o options, args ...string) error {
	out, err := exec.CommandContext(ctx, filepath.Join(o.bin, "blaise"), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("run blaise %s: %w: %s", args[0], err, out)
	}
	return nil
}

// longTalk is how long it takes until a long conversation is told.
func longTalk(ctx context.Context, o options, p *plane, c *api.Client) (time.Duration, error) {
	l, err := p.begin(ctx)
	if err != nil {
		return 0, err
	}
	spool, err := transcript.OpenSpool(filepath.Join(o.tmp, "long"), transcript.SpoolOptions{})
	if err != nil {
		return 0, err
	}
	defer spool.Close()
	if _, err := ship(ctx, l, spool, told); err != nil {
		return 0, err
	}
	began, lines := time.Now(), 0
	s := tty.Story{Look: tty.Look{Width: 100, Colour: true}}
	err = c.Transcript(ctx, l.session, 0, func(e transcript.Event) error {
		lines += len(s.Tell(e))
		return nil
	})
	if lines += len(s.End()); err == nil && lines == 0 {
		err = fmt.Errorf("nothing was told of %d events", told)
	}
	return time.Since(began), err
}
