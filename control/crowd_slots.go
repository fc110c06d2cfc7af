package control

import (
	"context"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// crowdFirst is of how many waiting runs a look asks which instances are full.
const crowdFirst = 20

// slots finds the runs that no instance takes because all that may have no slot
// free.
func (k *crowd) slots(ctx context.Context) ([]need, error) {
	front, err := k.c.waiting.first(ctx, time.Now().Add(-freshFor))
	if err != nil || len(front.runs) == 0 {
		return nil, err
	}
	runners, err := k.c.Runners(ctx)
	if err != nil {
		return nil, err
	}
	at := map[string]int{} // where in needs those are that wait for the same instances
	var needs []need
	for _, o := range front.runs[:min(len(front.runs), crowdFirst)] {
		if k.c.now().Sub(o.Run.OfferedAt) < elsewhereAfter {
			continue // on its way
		}
		full, err := k.full(ctx, o, runners)
		if err != nil {
			return nil, err
		}
		if len(full) == 0 {
			continue
		}
		hosts, runs := held(full)
		n, known := at[hosts]
		if !known {
			n = len(needs)
			at[hosts] = n
			needs = append(needs, need{whom: "who waits for a slot on " + hosts})
			if needs[n].runs, err = k.runs(ctx, runs); err != nil {
				return nil, err
			}
		}
		needs[n].waiting++
	}
	return needs, nil
}

// full are the instances that may take an offered run, if none of them has a slot.
func (k *crowd) full(ctx context.Context, o store.Offer, runners []RunnerView) (full []InstanceView, err error) {
	for _, r := range runners {
		for _, in := range r.Instances {
			if !in.Online || in.Draining || r.Revoked || r.Leaving != nil {
				continue
			}
			_, may, err := k.c.mayTake(ctx, Asker{Runner: r.Runner, Instance: in.Instance}, o)
			switch {
			case err != nil:
				return nil, err
			case may && len(in.Runs) < in.Slots:
				return nil, nil
			case may:
				full = append(full, in)
			}
		}
	}
	return full, nil
}

// held names the hosts of instances, and the runs that have their slots.
func held(full []InstanceView) (hosts string, runs []blaise.RunID) {
	var names []string
	for _, in := range full {
		names = append(names, in.Host)
		runs = append(runs, in.Runs...)
	}
	return strings.Join(names, ", "), runs
}

func (k *crowd) runs(ctx context.Context, ids []blaise.RunID) ([]blaise.Run, error) {
	var all []blaise.Run
	for _, id := range ids {
		run, err := k.c.db.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, run)
	}
	return all, nil
}
