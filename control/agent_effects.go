package control

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// foresee says what a policy would do at once to the sessions of its agent that
// have not ended: each is decided as it would be, and nothing is written.
func (c *Control) foresee(ctx context.Context, by string, name blaise.AgentName, p blaise.Policy) ([]string, error) {
	ids, err := c.db.SessionsOf(ctx, name, true)
	if err != nil {
		return nil, err
	}
	a, err := c.db.Agent(ctx, name)
	if err != nil {
		return nil, err
	}
	p.Disabled, p.Archived = a.State == AgentDisabled, a.State == AgentArchived
	found := map[string][]blaise.SessionID{}
	for _, id := range ids {
		v, err := c.db.View(ctx, id)
		if err != nil {
			return nil, err
		}
		snap := snapshotOf(v, policyOf(a))
		if snap.Run != nil {
			snap.Run.UnreachableSince = c.unreachable(*snap.Run, p)
		}
		what, err := c.effectsOn(ctx, by, snap, p)
		if err != nil {
			return nil, fmt.Errorf("foresee session %s: %w", id, err)
		}
		for _, w := range what {
			found[w] = append(found[w], id)
		}
	}
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(found)) {
		lines = append(lines, counted(found[what])+" "+what+": "+someOf(found[what]))
	}
	return lines, nil
}

// effectsOn is what becomes of one session: the policy is changed, and then
// every clock fires that is due by it.
func (c *Control) effectsOn(ctx context.Context, by string, s blaise.Snapshot, p blaise.Policy) ([]string, error) {
	now := c.now()
	plan, err := blaise.Decide(s, blaise.Event{Kind: blaise.EventPolicyChanged, By: by, Policy: &p, At: now})
	if err != nil {
		return nil, err
	}
	found := told(s, plan)
	for _, clock := range slices.Clone(plan.Next.Clocks) {
		due := clock.DueAt
		if later := c.sweep.later(ctx, store.Due{Session: s.Session.ID, Clock: clock}); later.After(due) {
			due = later
		}
		if due.IsZero() || due.After(now) {
			continue
		}
		before := plan.Next
		plan, err = blaise.Decide(before, blaise.Event{
			Kind: blaise.EventClockFired, By: "clock", Clock: clock, At: now, Serving: c.beats.since(),
		})
		if err != nil {
			return nil, err
		}
		found = append(found, told(before, plan)...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// told is what a plan does, in the words of a list of sessions.
func told(before blaise.Snapshot, plan blaise.Plan) []string {
	var what []string
	if before.Session.State != blaise.SessionEnded && plan.Next.Session.State == blaise.SessionEnded {
		what = append(what, "end and be torn down now")
	}
	for _, d := range plan.Issue {
		switch {
		case d.Stop != nil && d.Stop.MayResume:
			what = append(what, "pause now")
		case d.Stop != nil:
			what = append(what, "end now")
		case d.Kind == blaise.DirectiveCancel:
			what = append(what, "have their turn cancelled now")
		case d.Kind == blaise.DirectiveAnswer:
			what = append(what, "have a question answered by policy now")
		}
	}
	return what
}

func follow(n int) string {
	if n == 1 {
		return "1 session follows the new policy"
	}
	return fmt.Sprintf("%d sessions follow the new policy", n)
}

func counted(ids []blaise.SessionID) string {
	if len(ids) == 1 {
		return "1 session would"
	}
	return fmt.Sprintf("%d sessions would", len(ids))
}

func someOf(ids []blaise.SessionID) string {
	const most = 10
	var names []string
	for _, id := range ids[:min(len(ids), most)] {
		names = append(names, string(id))
	}
	if len(ids) > most {
		names = append(names, fmt.Sprintf("and %d more", len(ids)-most))
	}
	return strings.Join(names, ", ")
}

// Revisions lists what an agent was, the latest revision first.
func (c *Control) Revisions(ctx context.Context, name blaise.AgentName) ([]store.Agent, error) {
	return c.db.AgentRevisions(ctx, name)
}

// limitEffects says what another concurrency means for the runs there are.
func (c *Control) limitEffects(ctx context.Context, name blaise.AgentName, was, is int) ([]string, error) {
	if was == is {
		return nil, nil
	}
	p, err := c.db.Places(ctx, name)
	if err != nil {
		return nil, err
	}
	words := func(limit int) string {
		if limit == 0 {
			return "off"
		}
		return strconv.Itoa(limit)
	}
	line := fmt.Sprintf("concurrency %s -> %s: %s at work, %d waiting", words(was), words(is), blaise.Count(p.AtWork, "run"), p.Waiting())
	free := p.Waiting()
	if is > 0 {
		free = min(free, is-p.AtWork)
	}
	switch {
	case is > 0 && p.AtWork > is:
		line += fmt.Sprintf("; none is stopped, and none begins until fewer than %d are", is)
	case free > 0:
		line += fmt.Sprintf("; %d of those that wait may begin", free)
	}
	return []string{line}, nil
}
