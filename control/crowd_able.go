package control

import (
	"context"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// crowdFirst is of how many runs that wait for an agent a look asks first
// whether anybody may take them.
const crowdFirst = 64

// takeable counts the runs waiting for an agent that an instance which is here
// would take if the agent had a place free, up to most.
func (k *crowd) takeable(ctx context.Context, agent blaise.AgentName, most int, runners []RunnerView) (int, error) {
	for limit := crowdFirst; ; limit *= 4 {
		offers, err := k.c.db.OffersOf(ctx, agent, limit)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, o := range offers {
			able, err := k.c.able(ctx, o, runners)
			if err != nil {
				return 0, err
			}
			if len(able) > 0 {
				n++
			}
			if n == most {
				return n, nil
			}
		}
		if len(offers) < limit {
			return n, nil
		}
	}
}

// able are the instances that are here and may take an offered run, with a slot
// free or not.
func (c *Control) able(ctx context.Context, o store.Offer, runners []RunnerView) (able []InstanceView, err error) {
	for _, r := range runners {
		for _, in := range r.Instances {
			if serves(r, in) && suits(Asker{Runner: r.Runner, Instance: in.Instance}, o) {
				able = append(able, in)
			}
		}
	}
	if o.Run.Runner == "" || len(able) == 0 {
		return able, nil
	}
	v, err := c.db.View(ctx, o.Session)
	if blaise.CodeOf(err) == blaise.CodeNotFound { // deleted since
		return nil, nil
	}
	return slices.DeleteFunc(able, func(in InstanceView) bool { return !isWhere(v, in.Instance) }), err
}

// serves says that an instance is here and takes what is offered.
func serves(r RunnerView, in InstanceView) bool {
	return in.Online && !in.Draining && !r.Revoked && r.Leaving == nil
}
