package control

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Why explains a session, run or message (X7): which clock runs, when it fires,
// from which setting, what happens then, and why a run waits.
func (c *Control) Why(ctx context.Context, id string) ([]string, error) {
	session, rest, _ := strings.Cut(id, ".")
	v, err := c.db.View(ctx, blaise.SessionID(session))
	if err != nil {
		return c.whyDeleted(ctx, blaise.SessionID(session), err)
	}
	a, err := c.db.Agent(ctx, v.Session.Agent)
	if err != nil {
		return nil, err
	}
	switch {
	case rest == "":
		snap := snapshotOf(v, policyOf(a))
		snap.Crowded = c.crowded(ctx, v.Session.ID)
		lines := c.addSilence(blaise.Why(snap, c.now(), c.whyOffered(ctx, v, a)), snap.Run)
		return append(lines, c.whyAgent(ctx, v)...), nil
	case strings.HasPrefix(rest, "m"):
		return c.whyMessage(ctx, v, a, blaise.MessageID(id))
	default:
		return c.whyRun(ctx, v, a, blaise.RunID(id))
	}
}

// addSilence says of a run that should report that it has not, since Blaise
// listens: Blaise has begun anew, maybe from a backup, or was asleep.
func (c *Control) addSilence(lines []string, r *blaise.Run) []string {
	if r == nil || r.State != blaise.RunConnected {
		return lines
	}
	if since, unheard := c.beats.unheard(r.ID); unheard {
		lines = append(lines, fmt.Sprintf("run %s was not heard since Blaise listens, %s: if its process is gone, `blaise lost %s --yes` says so",
			r.ID, since.UTC().Format(time.RFC3339), r.ID))
	}
	return lines
}

// whyDeleted says what stays of a session that was deleted; err if it was not.
func (c *Control) whyDeleted(ctx context.Context, id blaise.SessionID, err error) ([]string, error) {
	d, deleted, findErr := c.db.Deletion(ctx, id)
	if findErr != nil || !deleted {
		return nil, err
	}
	return d.Why(), nil
}

func snapshotOf(v store.View, p blaise.Policy) blaise.Snapshot {
	s := blaise.Snapshot{
		Policy: p, Session: v.Session, Environment: v.Environment, Clocks: v.Clocks, Directives: v.Directives,
	}
	for _, m := range v.Messages {
		if !m.Final() {
			s.Messages = append(s.Messages, m)
		}
	}
	for _, q := range v.Questions {
		if q.State == blaise.QuestionOpen || q.State == blaise.QuestionAnswered {
			s.Questions = append(s.Questions, q)
		}
	}
	if n := len(v.Runs); n > 0 && !v.Runs[n-1].Final() {
		s.Run = &v.Runs[n-1]
	}
	return s
}

// whyOffered says why an offered run has not been taken, what counts first; nil
// if none is offered.
func (c *Control) whyOffered(ctx context.Context, v store.View, a store.Agent) []string {
	n := len(v.Runs)
	if n == 0 || v.Runs[n-1].State != blaise.RunOffered {
		return nil
	}
	s, err := c.Standing(ctx, v.Session.ID)
	if err != nil {
		s = nil // the rest is told
	}
	switch {
	case s == nil:
		return c.whyRunners(ctx, v, a)
	case s.Full():
		return c.whyFull(ctx, s, a)
	case s.Lacks != "":
		return append(c.whyRunners(ctx, v, a), "it is the "+s.String())
	}
	return append([]string{"it is the " + s.String()}, c.whyRunners(ctx, v, a)...)
}

// whyRunners says of each runner why it has not taken the offered run that v ends
// with, or that none may.
func (c *Control) whyRunners(ctx context.Context, v store.View, a store.Agent) (lines []string) {
	runners, err := c.db.Runners(ctx)
	if err != nil {
		return nil
	}
	run := v.Runs[len(v.Runs)-1]
	snap := snapshotOf(v, blaise.Policy{})
	machine, _ := snap.MachineFor()
	fit := 0
	for _, r := range runners {
		if r.Revoked || (run.Runner != "" && run.Runner != r.ID) {
			continue
		}
		ins, err := c.db.InstancesOf(ctx, r.ID)
		if err != nil {
			return lines
		}
		if len(ins) == 0 && len(a.Requirements) > 0 && matches(a.Requirements, r.Labels, nil) {
			fit++
			lines = append(lines, fmt.Sprintf("runner %s may take it, but no daemon of it is here: start one with `runner start`", r.Name))
		}
		for _, in := range ins {
			if run.Runner == "" && !matches(a.Requirements, r.Labels, in.Labels) {
				continue
			}
			fit++
			lines = append(lines, c.instanceLine(ctx, r, in, machine))
		}
	}
	if fit == 0 {
		lines = append(lines, "no runner matches: "+needs(run, a))
	}
	return lines
}

func needs(run blaise.Run, a store.Agent) string {
	if run.Runner != "" {
		return "only runner " + string(run.Runner) + " may take it, where the environment is (A31)"
	}
	if len(a.Requirements) == 0 {
		return "no runner has connected; start one with `runner start`"
	}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(a.Requirements)) {
		labels = append(labels, key+"="+a.Requirements[key])
	}
	return fmt.Sprintf("agent %s requires the labels %s", a.Name, strings.Join(labels, ", "))
}

// instanceLine says whether an instance will take the run, and if not, why.
func (c *Control) instanceLine(ctx context.Context, r store.Runner, in store.Instance, machine blaise.MachineID) string {
	line := fmt.Sprintf("runner %s on %s may take it", r.Name, in.Host)
	if machine != "" && machine != in.Machine {
		return fmt.Sprintf("runner %s on %s may not: the environment is on another machine, or in another state directory", r.Name, in.Host)
	}
	if !c.online(in) {
		return line + ", but " + c.absence(in)
	}
	runs, err := c.db.LiveRunsOf(ctx, in.ID)
	if err == nil && (in.Draining || in.PausedWhy != "") {
		return line + ", but " + c.idles(in, len(runs))
	}
	if err != nil || len(runs) < in.Slots {
		return line
	}
	return fmt.Sprintf("%s, but all its slots (%d) are taken, by sessions %s", line, in.Slots, c.pausing(ctx, runs))
}

func (c *Control) whyMessage(ctx context.Context, v store.View, a store.Agent, id blaise.MessageID) ([]string, error) {
	snap := snapshotOf(v, policyOf(a))
	snap.Crowded = c.crowded(ctx, v.Session.ID)
	for _, m := range v.Messages {
		if m.ID == id {
			lines := []string{fmt.Sprintf("message %s is %s", m.ID, m.State)}
			if m.Reason != "" {
				lines = append(lines, m.Reason)
			}
			switch {
			case m.State == blaise.MessageDelivered:
				lines = append(lines, fmt.Sprintf("it is in its turn since %s, with run %s",
					m.DeliveredAt.UTC().Format("2006-01-02 15:04:05 MST"), m.Run))
				lines = append(lines, snap.WhyClocks(c.now(), string(m.Run))...)
			case !m.Final():
				lines = append(append(lines, snap.Waits(m.ID)), c.whyOffered(ctx, v, a)...)
			}
			if m.Repeats > 0 {
				lines = append(lines, "its prompt was written again "+blaise.Count(m.Repeats, "time"))
			}
			return lines, nil
		}
	}
	return nil, blaise.Errorf(blaise.CodeNotFound, "no message %s", id)
}

// whyRun says what a run does and which of its clocks run; of one that has
// ended, why, and by which setting.
func (c *Control) whyRun(ctx context.Context, v store.View, a store.Agent, id blaise.RunID) ([]string, error) {
	for _, r := range v.Runs {
		if r.ID != id {
			continue
		}
		line := fmt.Sprintf("run %s (%s) is %s", r.ID, r.Kind, r.State)
		if r.Final() {
			line = fmt.Sprintf("run %s (%s) ended %s", r.ID, r.Kind, r.Outcome)
		}
		lines := []string{line}
		if r.Reason != "" {
			lines = append(lines, r.Reason)
		}
		if !r.Final() {
			snap := snapshotOf(v, policyOf(a))
			return slices.Concat(lines, c.whyOffered(ctx, v, a), snap.WhyClocks(c.now(), string(id))), nil
		}
		return append(lines, c.endedBy(ctx, v.Session.ID, "run:"+string(id))...), nil
	}
	return nil, blaise.Errorf(blaise.CodeNotFound, "no run %s", id)
}

// endedBy is the clock's setting, or the person, that the last change of a
// subject came from.
func (c *Control) endedBy(ctx context.Context, id blaise.SessionID, subject string) []string {
	all, err := c.db.History(ctx, id, maxHistory)
	if err != nil {
		return nil // the state itself is told already
	}
	for _, h := range slices.Backward(all) {
		switch {
		case h.Subject != subject:
			continue
		case h.Setting != "":
			return []string{"at " + h.At.UTC().Format(time.RFC3339) + ", by " + h.By + ", from " + h.Setting}
		}
		return []string{"at " + h.At.UTC().Format(time.RFC3339) + ", by " + h.By}
	}
	return nil
}

// maxHistory is how far back a reason is looked for.
const maxHistory = 1000
