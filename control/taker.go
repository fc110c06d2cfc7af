package control

import (
	"context"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// takers are the runners and their instances, as read once for all the runs of
// which it is asked who may take them.
type takers struct {
	c       *Control
	runners []RunnerView               // without the runs of their instances
	free    map[blaise.InstanceID]bool // has a slot free, of those looked at
}

func (c *Control) takers(ctx context.Context) (*takers, error) {
	runners, err := c.db.Runners(ctx)
	if err != nil {
		return nil, err
	}
	instances, err := c.db.Instances(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[blaise.RunnerID][]InstanceView, len(runners))
	for _, in := range instances {
		of[in.Runner] = append(of[in.Runner], InstanceView{Instance: in, Online: c.online(in)})
	}
	t := &takers{c: c, free: map[blaise.InstanceID]bool{}}
	for _, r := range runners {
		t.runners = append(t.runners, RunnerView{Runner: r, Instances: of[r.ID]})
	}
	return t, nil
}

// lack is why none of them takes an offered run, as far as that is theirs; ""
// if one may.
func (t *takers) lack(ctx context.Context, o store.Offer) (blaise.Lack, error) {
	able, err := t.c.able(ctx, o, t.runners)
	if err != nil {
		return "", err
	}
	lack := blaise.LacksRunner
	for _, in := range able {
		free, err := t.hasSlot(ctx, in.Instance)
		if free || err != nil {
			return "", err
		}
		lack = blaise.LacksSlot
	}
	return lack, nil
}

func (t *takers) hasSlot(ctx context.Context, in store.Instance) (bool, error) {
	if free, known := t.free[in.ID]; known {
		return free, nil
	}
	runs, err := t.c.db.LiveRunsOf(ctx, in.ID)
	t.free[in.ID] = len(runs) < in.Slots
	return t.free[in.ID], err
}

// lacks answers what the runs lack that wait for an agent, by session.
func (c *Control) lacks(ctx context.Context, agent blaise.AgentName, most int) (map[blaise.SessionID]blaise.Lack, error) {
	offers, err := c.db.OffersOf(ctx, agent, most)
	if err != nil {
		return nil, err
	}
	t, err := c.takers(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[blaise.SessionID]blaise.Lack, len(offers))
	for _, o := range offers {
		if of[o.Session], err = t.lack(ctx, o); err != nil {
			return nil, err
		}
	}
	return of, nil
}

// Lacking counts the runs waiting for an agent that no runner which is here may
// take; none where they wait for another run of the agent first.
func (c *Control) Lacking(ctx context.Context, agent blaise.AgentName, waiting store.Crowd) (n int, err error) {
	if waiting.Waiting == 0 || waiting.Limit > 0 && waiting.AtWork >= waiting.Limit {
		return 0, nil
	}
	all, err := c.lacks(ctx, agent, waiting.Waiting)
	for _, lack := range all {
		if lack == blaise.LacksRunner {
			n++
		}
	}
	return n, err
}

// lackOf answers what the run lacks that a session's view ends with.
func (c *Control) lackOf(ctx context.Context, id blaise.SessionID, a store.Agent) (blaise.Lack, error) {
	v, err := c.db.View(ctx, id)
	if err != nil || len(v.Runs) == 0 {
		return "", err
	}
	run := v.Runs[len(v.Runs)-1]
	if run.State != blaise.RunOffered {
		return "", nil // taken since
	}
	t, err := c.takers(ctx)
	if err != nil {
		return "", err
	}
	return t.lack(ctx, store.Offer{Run: run, Session: id, Agent: a.Name, Requirements: a.Requirements})
}
