package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"
)

// OnlineWithin is how recently an instance must have asked to count as online:
// its long poll is at most 25 s, and it may take a while to come back.
const OnlineWithin = 75 * time.Second

// A RunnerView is a runner with its instances and what they run.
type RunnerView struct {
	store.Runner
	Instances []InstanceView
}

// An InstanceView is one instance of a runner.
type InstanceView struct {
	store.Instance
	Online bool
	Runs   []blaise.RunID
}

// Runners lists the runners with their instances.
func (c *Control) Runners(ctx context.Context) ([]RunnerView, error) {
	runners, err := c.db.Runners(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]RunnerView, 0, len(runners))
	for _, r := range runners {
		v := RunnerView{Runner: r}
		ins, err := c.db.InstancesOf(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, in := range ins {
			iv := InstanceView{Instance: in, Online: c.online(in)}
			runs, err := c.db.LiveRunsOf(ctx, in.ID)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				iv.Runs = append(iv.Runs, run.ID)
			}
			v.Instances = append(v.Instances, iv)
		}
		views = append(views, v)
	}
	return views, nil
}

// View answers all of a session.
func (c *Control) View(ctx context.Context, id blaise.SessionID) (store.View, error) {
	return c.db.View(ctx, id)
}

// Find answers the one session whose id begins with prefix.
func (c *Control) Find(ctx context.Context, prefix string) (blaise.SessionID, error) {
	return c.db.FindSession(ctx, prefix)
}

// Sessions lists sessions, the newest first.
func (c *Control) Sessions(ctx context.Context, f store.Filter) ([]store.Summary, error) {
	return c.db.Sessions(ctx, f)
}

// Counts answers how many sessions are in each state.
func (c *Control) Counts(ctx context.Context) (map[blaise.SessionState]int, error) {
	return c.db.Counts(ctx)
}

// FailedFor is how long a session that has failed is told of unasked.
const FailedFor = 24 * time.Hour

// Ended answers how many sessions have ended with each outcome.
func (c *Control) Ended(ctx context.Context) (map[blaise.Outcome]int, error) {
	return c.db.Ended(ctx)
}

// Needy answers how many sessions need a person, and how many have failed
// within FailedFor.
func (c *Control) Needy(ctx context.Context) (needs, failed int, err error) {
	return c.db.Needy(ctx, c.now().Add(-FailedFor))
}

// Events answers a session's transcript above a number.
func (c *Control) Events(ctx context.Context, id blaise.SessionID, after int64, limit int) ([]transcript.Event, error) {
	return c.db.Events(ctx, id, after, limit)
}

// History answers a session's changes, the newest last.
func (c *Control) History(ctx context.Context, id blaise.SessionID, limit int) ([]blaise.Change, error) {
	return c.db.History(ctx, id, limit)
}

// PlugState answers what a plug of a run's environment saved; nil for nothing.
func (c *Control) PlugState(ctx context.Context, run blaise.Run, plug string) ([]byte, error) {
	v, err := c.db.View(ctx, run.ID.Session())
	if err != nil {
		return nil, err
	}
	return c.db.PlugState(ctx, v.Environment.ID, plug)
}
