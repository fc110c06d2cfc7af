package main

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

const (
	few  = 1_000
	many = 1_000_000
	// due is how many clocks are let come due at once.
	due = 100
)

// A crowd is a control plane with many paused sessions, and what it took in it
// to look at the clocks, to fire those that are due, to list a page, and to
// wake one.
type crowd struct {
	plane                        *plane
	n                            int
	looks, fires, lists, wakings []time.Duration
}

// sweep measures what is done for one session, or for none, with few and with
// many paused ones beside it: the cost follows what is due, not what exists.
func sweep(ctx context.Context, o options) ([]row, error) {
	small, err := newCrowd(ctx, o, few)
	if err != nil {
		return nil, err
	}
	defer small.plane.close()
	large, err := newCrowd(ctx, o, many)
	if err != nil {
		return nil, err
	}
	defer large.plane.close()
	for range 5 { // in turns, so that what the machine does meanwhile meets both alike
		for _, c := range []*crowd{small, large} {
			if err := c.measure(ctx); err != nil {
				return nil, err
			}
		}
	}
	against := func(what string, got, floor []time.Duration, times float64) row {
		return row{
			name: fmt.Sprintf("%s, 1,000,000 paused sessions against 1,000, median", what),
			got:  median(got) * 1000, floor: median(floor) * 1000, limit: median(floor) * 1000 * times, unit: "us",
		}
	}
	return []row{
		against("look at the clocks", large.looks, small.looks, 1.5),
		against(fmt.Sprintf("fire %d clocks", due), large.fires, small.fires, 1.5),
		against("first page of the list", large.lists, small.lists, 1.5),
		against("message to one of them", large.wakings, small.wakings, 1.5),
	}, nil
}

func newCrowd(ctx context.Context, o options, n int) (*crowd, error) {
	p, err := startPlane(ctx, o, fmt.Sprintf("sweep%d", n))
	if err != nil {
		return nil, err
	}
	c := &crowd{plane: p}
	return c, c.add(ctx, n, time.Now().Add(24*time.Hour))
}

// add makes paused sessions that end at a time; a thousand share a transaction.
func (c *crowd) add(ctx context.Context, n int, end time.Time) error {
	now := time.Now().UTC()
	for last := c.n + n; c.n < last; {
		to := min(c.n+1000, last)
		err := c.plane.db.Tx(ctx, func(tx *store.Tx) error {
			for i := c.n; i < to; i++ {
				if err := tx.CreateSession(pausedSession(i, now, end.UTC())); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		c.n = to
	}
	return nil
}

func pausedSession(i int, now, end time.Time) blaise.Snapshot {
	id := sessionID(i)
	return blaise.Snapshot{
		Session: blaise.Session{
			ID: id, Agent: "default", State: blaise.SessionPaused, CreatedAt: now, Runs: 1, Runner: "bench",
		},
		Environment: blaise.Environment{
			ID: id.Environment(1), State: blaise.EnvPaused, Generation: 1, EverOpen: true, Clean: true,
		},
		Clocks: []blaise.Clock{{
			Kind: blaise.ClockMaxPaused, Subject: string(id.Environment(1)),
			Since: now, DueAt: end.Add(time.Duration(i%1000) * time.Microsecond), Setting: "policy.maxPaused",
		}},
	}
}

func sessionID(i int) blaise.SessionID { return blaise.SessionID(fmt.Sprintf("s%07d", i)) }

func (c *crowd) measure(ctx context.Context) error {
	for range 400 {
		if err := timed(&c.looks, func() error { return c.look(ctx) }); err != nil {
			return err
		}
	}
	for range 20 {
		err := timed(&c.lists, func() error {
			_, err := c.plane.control.Sessions(ctx, store.Filter{})
			return err
		})
		if err != nil {
			return err
		}
	}
	for range 20 {
		id := sessionID(len(c.wakings) * 7 % few)
		err := timed(&c.wakings, func() error {
			_, err := c.plane.control.Post(ctx, "bench", id, control.Post{Text: "go on"})
			return err
		})
		if err != nil {
			return err
		}
	}
	return c.fire(ctx)
}

func timed(all *[]time.Duration, do func() error) error {
	began := time.Now()
	err := do()
	*all = append(*all, time.Since(began))
	return err
}

// look is what the sweeper does when nothing is due.
func (c *crowd) look(ctx context.Context) error {
	got, err := c.plane.db.Due(ctx, time.Now().UTC(), due)
	if err == nil && len(got) > 0 {
		return fmt.Errorf("a clock is due that should not be")
	}
	if err == nil {
		_, _, err = c.plane.db.NextDue(ctx)
	}
	return err
}

// fire lets clocks come due, and a sweeper that was there when they began end
// their sessions.
func (c *crowd) fire(ctx context.Context) error {
	sweeper := control.New(control.Options{DB: c.plane.db, Secret: make([]byte, 32)})
	end := time.Now().Add(100 * time.Millisecond)
	if err := c.add(ctx, due, end); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- sweeper.Run(ctx) }()
	defer func() { stop(); <-done }()
	var began time.Time
	for {
		left, err := c.plane.db.Due(ctx, end.Add(time.Second).UTC(), due)
		switch {
		case err != nil:
			return err
		case len(left) == 0:
			c.fires = append(c.fires, time.Since(began))
			return nil
		case len(left) < due && began.IsZero():
			began = time.Now() // before that it begins: it looks at every clock then, once
		case time.Since(end) > time.Minute:
			return fmt.Errorf("fire %d clocks: %d are left after a minute", due, len(left))
		}
		time.Sleep(2 * time.Millisecond)
	}
}
