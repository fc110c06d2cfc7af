package control

import (
	"context"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// slots finds the runs that no instance takes because all that may have no slot
// free.
func (k *crowd) slots(ctx context.Context, runners []RunnerView) ([]need, error) {
	front, err := k.c.waiting.first(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	needs, enough, err := k.slotsFor(ctx, front.runs, runners)
	if err != nil || enough || !front.full {
		return needs, err
	}
	whole, err := k.c.waiting.all(ctx)
	if err != nil {
		return nil, err
	}
	needs, _, err = k.slotsFor(ctx, whole.runs, runners)
	return needs, err
}

// slotsFor is slots for some runs. It looks no further where enough of them wait
// for every slot there is.
func (k *crowd) slotsFor(ctx context.Context, offers []store.Offer, runners []RunnerView) (needs []need, enough bool, err error) {
	at := map[string]int{} // where in needs those are that wait for the same instances
	open := withoutSlot(runners)
	for _, o := range offers {
		if len(open) == 0 {
			break
		}
		if k.c.now().Sub(o.Run.OfferedAt) < elsewhereAfter || !k.c.waiting.stillWaits(o.Run.ID) {
			continue // on its way
		}
		full, err := k.full(ctx, o, runners)
		if err != nil {
			return nil, false, err
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
				return nil, false, err
			}
		}
		if needs[n].waiting++; needs[n].waiting >= len(runs) {
			for _, in := range full {
				delete(open, in.ID)
			}
		}
	}
	return needs, len(open) == 0, nil
}

// withoutSlot are the instances that are here and work on as much as they may.
func withoutSlot(runners []RunnerView) map[blaise.InstanceID]bool {
	all := map[blaise.InstanceID]bool{}
	for _, r := range runners {
		for _, in := range r.Instances {
			if serves(r, in) && len(in.Runs) > 0 && len(in.Runs) >= in.Slots {
				all[in.ID] = true
			}
		}
	}
	return all
}

// full are the instances that may take an offered run, if none of them has a slot.
func (k *crowd) full(ctx context.Context, o store.Offer, runners []RunnerView) ([]InstanceView, error) {
	able, err := k.c.able(ctx, o, runners)
	for _, in := range able {
		if len(in.Runs) < in.Slots {
			return nil, err
		}
	}
	return able, err
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
