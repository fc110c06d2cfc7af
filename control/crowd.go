package control

import (
	"context"
	"fmt"
	"slices"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// crowdEvery is how often a crowd is looked at, at most and while somebody waits.
const crowdEvery = 2 * time.Second

// A crowd has idle sessions pause early where others wait for what they hold: the
// place of a run at work for an agent, or the slot of a runner. What is decided
// is the session's ([blaise.EventOthersWait]); two processes of Blaise that both
// look do no harm.
type crowd struct {
	c       *Control
	hurried map[blaise.SessionID]bool // those that are to pause for others
}

func newCrowd(c *Control) *crowd {
	return &crowd{c: c, hurried: map[blaise.SessionID]bool{}}
}

// run looks while somebody waits, until ctx ends.
func (k *crowd) run(ctx context.Context) {
	woken, leave := k.c.hub.Follow(TopicOffers)
	defer leave()
	for {
		waits, err := k.look(ctx)
		if err != nil && ctx.Err() == nil {
			k.c.log.Error("who waits not read", "error", err)
		}
		if !waits && err == nil {
			select {
			case <-woken:
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-time.After(crowdEvery):
		case <-ctx.Done():
			return
		}
	}
}

// A need is so many who wait for any of some runs to end.
type need struct {
	waiting int
	whom    string
	runs    []blaise.Run
}

// look says whether somebody waits, or is still hurried for who did.
func (k *crowd) look(ctx context.Context) (bool, error) {
	needs, waits, err := k.needs(ctx)
	if err != nil {
		return false, err
	}
	picked := map[blaise.SessionID]bool{}
	for _, n := range needs {
		if err := k.makeRoom(ctx, n, picked); err != nil {
			return false, err
		}
	}
	for id := range k.hurried {
		if !picked[id] {
			k.tell(ctx, id, blaise.Event{Kind: blaise.EventOthersServed})
		}
	}
	k.hurried = picked
	return waits || len(picked) > 0, nil
}

// needs finds who waits for a place at work or for a slot, and would have work
// begun with it.
func (k *crowd) needs(ctx context.Context) (needs []need, waits bool, err error) {
	crowds, err := k.c.db.Crowds(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, crowd := range crowds {
		waits = waits || crowd.Waiting > 0
	}
	if !waits {
		return nil, false, nil
	}
	runners, err := k.c.Runners(ctx)
	if err != nil {
		return nil, false, err
	}
	for agent, crowd := range crowds {
		if crowd.Waiting == 0 || crowd.Limit == 0 || crowd.AtWork < crowd.Limit {
			continue
		}
		n, err := k.takeable(ctx, agent, crowd.Limit, runners)
		if err != nil {
			return nil, false, err
		}
		if n == 0 {
			continue
		}
		runs, err := k.c.db.RunsAtWork(ctx, agent)
		if err != nil {
			return nil, false, err
		}
		// Where the limit was lowered, some must end before one may begin.
		n += crowd.AtWork - crowd.Limit
		needs = append(needs, need{waiting: n, whom: fmt.Sprintf("who waits for agent %s", agent), runs: runs})
	}
	slots, err := k.slots(ctx, runners)
	return append(needs, slots...), true, err
}

// makeRoom has those pause who are idle for longest, as many as are waited for
// beside those that stop already.
func (k *crowd) makeRoom(ctx context.Context, n need, picked map[blaise.SessionID]bool) error {
	var idle []store.Due
	for _, run := range n.runs {
		clocks, err := k.c.db.Clocks(ctx, run.ID.Session())
		if err != nil {
			return err
		}
		stops := run.State == blaise.RunStopping || picked[run.ID.Session()]
		for _, c := range clocks {
			stops = stops || c.Kind == blaise.ClockReceipt
			if c.Kind == blaise.ClockIdle && !picked[run.ID.Session()] {
				idle = append(idle, store.Due{Session: run.ID.Session(), Clock: c})
			}
		}
		if stops {
			n.waiting--
		}
	}
	slices.SortFunc(idle, func(a, b store.Due) int { return a.Clock.Since.Compare(b.Clock.Since) })
	for _, one := range idle {
		if n.waiting <= 0 {
			return nil
		}
		e := blaise.Event{Kind: blaise.EventOthersWait, Reason: n.whom}
		if one.Clock.ForOthers() || k.tell(ctx, one.Session, e) {
			picked[one.Session] = true
			n.waiting--
		}
	}
	return nil
}

// tell says whether the session heeds it.
func (k *crowd) tell(ctx context.Context, id blaise.SessionID, e blaise.Event) bool {
	e.By = "blaise"
	plan, err := k.c.Apply(ctx, id, e)
	if err != nil && blaise.CodeOf(err) != blaise.CodeNotFound && ctx.Err() == nil {
		k.c.log.Error("idle clock not moved", "session", id, "error", err)
	}
	return err == nil && plan.Verdict == blaise.VerdictDone
}
