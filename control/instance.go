package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
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
