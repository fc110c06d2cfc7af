package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/store"
)

const listedMany = 10_000

// lists measures the list where there are many sessions: its page, what a
// search and a filter choose of it, the API, and `blaise list` as a whole.
func lists(ctx context.Context, o options) ([]row, error) {
	s, err := startServed(ctx, o, "lists", func(p *plane) error { return allKinds(ctx, p, listedMany) })
	if err != nil {
		return nil, err
	}
	defer s.close()
	var rows []row
	floor, err := s.timedPage(ctx, o, "/static/blaise.css")
	if err != nil {
		return nil, err
	}
	last, err := s.Sessions(ctx, api.SessionFilter{Limit: 500})
	if err != nil {
		return nil, err
	}
	for _, way := range []struct{ what, path string }{
		{"page", "/"},
		{"page, the ended ones", "/?state=ended"},
		{"page, of one agent", "/?agent=default"},
		{"page, searched, few found", "/?q=bug+1234"},
		{"page, searched, none found", "/?q=nobody+wrote+this"},
		{"page, an older one", "/?before=" + last.Next},
		{"API, 100 of them", "/api/sessions"},
	} {
		took, err := s.timedPage(ctx, o, way.path)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			name: fmt.Sprintf("list of 10,000 sessions, %s, median", way.what),
			got:  took, floor: floor, limit: 50, unit: "ms",
		})
	}
	r, err := s.listCommand(ctx, o)
	return append(rows, r), err
}

// timedPage is how long a page takes, the median.
func (s *served) timedPage(ctx context.Context, o options, path string) (float64, error) {
	var took []time.Duration
	for range 3 * o.times {
		err := timed(&took, func() error {
			_, err := s.page(ctx, path)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return median(took), nil
}

func (s *served) listCommand(ctx context.Context, o options) (row, error) {
	var lists, starts []time.Duration
	for range 3 * o.times {
		if err := timed(&starts, func() error { return command(ctx, o, "version") }); err != nil {
			return row{}, err
		}
		list := func() error { return command(ctx, o, "list", "--data", filepath.Join(o.tmp, "lists")) }
		if err := timed(&lists, list); err != nil {
			return row{}, err
		}
	}
	return row{
		name: "`blaise list` of 10,000 sessions as a whole, median; beside `blaise version`",
		got:  median(lists), floor: median(starts), limit: 50, unit: "ms",
	}, nil
}

// allKinds makes sessions as a year leaves them: most have ended, some are
// paused, a few have failed or wait for a person.
func allKinds(ctx context.Context, p *plane, n int) error {
	now := time.Now().UTC()
	for from := 0; from < n; from += 1000 {
		err := p.db.Tx(ctx, func(tx *store.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				if err := tx.CreateSession(someSession(i, now.Add(time.Duration(i-n)*time.Minute))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func someSession(i int, at time.Time) blaise.Snapshot {
	s := pausedSession(i, at, at.Add(100*24*time.Hour))
	s.Session.Title, s.Session.Author = fmt.Sprintf("Mend bug %d in the parser of dates", i), "ann"
	s.Session.Repo = "https://git.example.org/team/product.git"
	if i%10 == 0 {
		return s
	}
	s.Clocks, s.Environment.State = nil, blaise.EnvDestroyed
	s.Session.State, s.Session.Outcome, s.Session.EndedAt = blaise.SessionEnded, blaise.OutcomeSucceeded, at
	if i%50 == 1 {
		s.Session.Outcome, s.Session.Reason = blaise.OutcomeFailed, "the agent died three times"
	}
	if i%1000 == 7 {
		s.Environment.State = blaise.EnvOrphaned
	}
	return s
}
