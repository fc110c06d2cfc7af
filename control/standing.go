package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Standing answers where the run of a session stands that waits for an agent's
// process; nil if none does.
func (c *Control) Standing(ctx context.Context, id blaise.SessionID) (*blaise.Standing, error) {
	w, waits, err := c.db.Waiter(ctx, id)
	if err != nil || !waits {
		return nil, err
	}
	p, a, err := c.places(ctx, w.Agent)
	if err != nil {
		return nil, err
	}
	s := standing(w, p, a)
	if !s.Full() {
		s.Lacks, err = c.lackOf(ctx, id, a)
	}
	return s, err
}

func (c *Control) places(ctx context.Context, agent blaise.AgentName) (store.Places, store.Agent, error) {
	p, err := c.db.Places(ctx, agent)
	if err != nil {
		return p, store.Agent{}, err
	}
	a, err := c.db.Agent(ctx, agent)
	return p, a, err
}

func standing(w store.Waiter, p store.Places, a store.Agent) *blaise.Standing {
	s := blaise.Standing{Agent: a.Name, AtWork: p.AtWork, Limit: a.Policy.Concurrency}
	s.Place, s.Of = blaise.Place(p.Lines, w.Author, w.Ahead)
	return &s
}

// Standings lists the runs that wait for an agent in the order in which they are
// served, and where each stands.
func (c *Control) Standings(ctx context.Context, agent blaise.AgentName) ([]Waiting, error) {
	p, a, err := c.places(ctx, agent)
	if err != nil {
		return nil, err
	}
	all, err := c.db.Waiters(ctx, agent)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var lacks map[blaise.SessionID]blaise.Lack
	if !standing(all[0], p, a).Full() {
		if lacks, err = c.lacks(ctx, agent, len(all)); err != nil {
			return nil, err
		}
	}
	list := make([]Waiting, 0, len(all))
	for _, w := range all {
		one := Waiting{Session: w.Run.Session(), Author: w.Author, Standing: *standing(w, p, a)}
		one.Lacks = lacks[one.Session]
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Waiting) int { return a.Place - b.Place })
	return list, nil
}

// A Waiting is a session whose run waits for an agent's process.
type Waiting struct {
	Session blaise.SessionID
	Author  string
	blaise.Standing
}

// Crowds answers how many runs each agent has at work, and how many wait.
func (c *Control) Crowds(ctx context.Context) (map[blaise.AgentName]store.Crowd, error) {
	return c.db.Crowds(ctx)
}

// whyFull says of an offered run that waits for another of its agent to end where
// it stands, from which setting, and which those are.
func (c *Control) whyFull(ctx context.Context, s *blaise.Standing, a store.Agent) []string {
	lines := []string{fmt.Sprintf("it waits for a run of the agent to end, the %s, from %s", s,
		policyOf(a).Origin(a.Name, "concurrency", s.Limit))}
	busy, err := c.db.RunsAtWork(ctx, a.Name)
	if err == nil && len(busy) > 0 {
		lines = append(lines, "at work for agent "+string(a.Name)+": sessions "+c.pausing(ctx, busy))
	}
	return lines
}

// crowded says that the run of a session waits for another of its agent to end.
func (c *Control) crowded(ctx context.Context, id blaise.SessionID) bool {
	s, err := c.Standing(ctx, id)
	return err == nil && s != nil && s.Full()
}

// pausing names the sessions of runs; of those that are idle, when they stop.
func (c *Control) pausing(ctx context.Context, runs []blaise.Run) string {
	const most = 10
	var names []string
	for _, r := range runs[:min(len(runs), most)] {
		name := string(r.ID.Session())
		clocks, _ := c.db.Clocks(ctx, r.ID.Session()) // it is only told
		for _, clock := range clocks {
			if clock.Kind == blaise.ClockIdle {
				name += fmt.Sprintf(" (idle, stops in %s)", max(0, clock.DueAt.Sub(c.now())).Round(time.Second))
			}
		}
		names = append(names, name)
	}
	if len(runs) > most {
		names = append(names, fmt.Sprintf("and %d more", len(runs)-most))
	}
	return strings.Join(names, ", ")
}
