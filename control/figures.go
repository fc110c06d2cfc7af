package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Figures are what there is now, and how long what should be short takes.
type Figures struct {
	store.Figures
	At        time.Time
	ClockLag  time.Duration         // of the clock that is most overdue
	Quiet     time.Duration         // since the run was heard that was not heard for longest
	Instances map[InstanceState]int // of runners that are not revoked, heard in the last day
	Slots     int                   // of the instances that are online
}

// An InstanceState says whether a daemon takes runs.
type InstanceState string

// The states of an instance.
const (
	InstanceOnline   InstanceState = "online"
	InstancePaused   InstanceState = "paused" // it takes teardowns alone, and says why
	InstanceDraining InstanceState = "draining"
	InstanceOffline  InstanceState = "offline"
	InstanceStopped  InstanceState = "stopped" // it said goodbye
)

// missedWithin is how long an instance that is gone is counted: fleets come and
// go, and not all say goodbye.
const missedWithin = 24 * time.Hour

// Figures counts.
func (c *Control) Figures(ctx context.Context) (Figures, error) {
	counted, err := c.db.Figures(ctx)
	if err != nil {
		return Figures{}, err
	}
	f := Figures{
		Figures: counted, At: c.now(), Quiet: c.beats.quiet(),
		Instances: map[InstanceState]int{InstanceOnline: 0, InstancePaused: 0, InstanceDraining: 0, InstanceOffline: 0, InstanceStopped: 0},
	}
	if !f.Due.IsZero() {
		f.ClockLag = max(0, f.At.Sub(f.Due))
	}
	return f, c.countInstances(ctx, &f)
}

func (c *Control) countInstances(ctx context.Context, f *Figures) error {
	runners, err := c.db.Runners(ctx)
	if err != nil {
		return err
	}
	revoked := map[blaise.RunnerID]bool{}
	for _, r := range runners {
		revoked[r.ID] = r.Revoked
	}
	all, err := c.db.Instances(ctx)
	for _, in := range all {
		ago := f.At.Sub(in.LastSeen)
		state := stateOf(in, ago)
		gone := state == InstanceOffline || state == InstanceStopped
		if revoked[in.Runner] || gone && (in.Once || ago > missedWithin) {
			continue
		}
		f.Instances[state]++
		if !gone {
			f.Slots += in.Slots
		}
	}
	return err
}

func stateOf(in store.Instance, ago time.Duration) InstanceState {
	switch {
	case !in.StoppedAt.IsZero():
		return InstanceStopped
	case ago >= OnlineWithin:
		return InstanceOffline
	case in.Draining:
		return InstanceDraining
	case in.PausedWhy != "":
		return InstancePaused
	}
	return InstanceOnline
}
