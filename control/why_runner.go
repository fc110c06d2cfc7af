package control

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// WhyRunner explains a runner, named by id or name: what its daemons do, or why
// they do nothing (X7). CodeNotFound.
func (c *Control) WhyRunner(ctx context.Context, given string) ([]string, error) {
	all, err := c.Runners(ctx)
	if err != nil {
		return nil, err
	}
	var found *RunnerView
	for i := range all {
		r := &all[i]
		if string(r.ID) == given || r.Name == given && (found == nil || found.Revoked) {
			found = r
		}
	}
	if found == nil {
		return nil, blaise.Errorf(blaise.CodeNotFound, "no session and no runner is called %q", given).
			WithHint("see `blaise list` and `blaise runner list`")
	}
	lines := c.whyToken(found.Runner)
	if found.Leaving != nil && !found.Revoked {
		rest, err := c.whyLeaving(ctx, found.ID)
		if err != nil {
			return nil, err
		}
		lines = append(lines, rest...)
	}
	if len(found.Instances) == 0 {
		lines = append(lines, "no daemon has connected with its token: runner start --url URL --token-file FILE")
	}
	for _, in := range found.Instances {
		lines = append(lines, c.whyInstance(in)...)
	}
	return lines, nil
}

// whyLeaving says what keeps a runner that goes for good from being revoked.
func (c *Control) whyLeaving(ctx context.Context, id blaise.RunnerID) ([]string, error) {
	n, held, orphaned, err := c.db.Busy(ctx, id)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("  its daemons have to take down %s before that, with the work sent to Blaise",
		blaise.Count(n-held-orphaned, "environment"))}
	if held > 0 {
		lines = append(lines, fmt.Sprintf("  what %s there has waits until `blaise release ID`", blaise.Count(held, "held session")))
	}
	if orphaned > 0 {
		lines = append(lines, fmt.Sprintf("  %s there waits for a person: `blaise retry-teardown ID`, or `blaise mark-destroyed ID --reason WHY`",
			blaise.Count(orphaned, "orphaned environment")))
	}
	return lines, nil
}

func (c *Control) whyToken(r store.Runner) []string {
	line := fmt.Sprintf("runner %s (%s), made %s by %s", r.Name, r.ID, r.CreatedAt.Format("2006-01-02 15:04:05 MST"), r.By)
	lines := []string{line}
	switch {
	case r.Revoked:
		lines = append(lines, fmt.Sprintf("its token was revoked at %s by %s: nothing is offered to it, and what it left is lost",
			r.RevokedAt.Format("2006-01-02 15:04:05 MST"), r.RevokedBy))
	case r.Leaving != nil:
		lines = append(lines, fmt.Sprintf("its token is revoked when nothing is left there, asked by %s at %s; turns that are "+
			"open at %s are cancelled (token revoke --after-drain)", r.Leaving.By,
			r.Leaving.At.Format("2006-01-02 15:04:05 MST"), r.Leaving.Until.Format("2006-01-02 15:04:05 MST")))
	case r.SingleUse && !r.Used && r.Session != "":
		lines = append(lines, "its token can be used once, for session "+string(r.Session)+", until "+
			r.CreatedAt.Add(SingleUseLife).Format("2006-01-02 15:04:05 MST"))
	case r.SingleUse && r.Session != "":
		lines = append(lines, "its token is for one session, and that is "+string(r.Session))
	case r.SingleUse && r.Used:
		lines = append(lines, "its token is for one session, and bound to daemon "+string(r.UsedBy))
	case r.SingleUse:
		lines = append(lines, "its token can be used once, until "+
			r.CreatedAt.Add(SingleUseLife).Format("2006-01-02 15:04:05 MST"))
	}
	return lines
}

func (c *Control) whyInstance(in InstanceView) []string {
	about := fmt.Sprintf("daemon %s on %s (machine %s, version %s)", in.ID, in.Host, in.Machine, in.Version)
	lines := []string{about + " " + c.idles(in.Instance, len(in.Runs))}
	for _, run := range in.Runs {
		lines = append(lines, "  it works on run "+string(run))
	}
	for _, p := range in.Probed {
		lines = append(lines, fmt.Sprintf("  runner probe tried agent %s %s there at %s: %s",
			p.Name, p.Version, p.At.Format("2006-01-02 15:04 MST"), p.Result()))
	}
	return lines
}

// idles is why an instance takes nothing, or that it may take something.
func (c *Control) idles(in store.Instance, runs int) string {
	switch {
	case !c.online(in):
		return "is not here: it " + c.absence(in)
	case in.Draining:
		return fmt.Sprintf("takes nothing more: it drains, %s to go", blaise.Count(runs, "run"))
	case in.PausedWhy != "":
		return "takes nothing but teardowns: " + in.PausedWhy
	case runs >= in.Slots:
		return fmt.Sprintf("has no free slot (%d of %d taken)", runs, in.Slots)
	}
	text := fmt.Sprintf("may take a run (%d of %d slots taken)", runs, in.Slots)
	return text + withLabels(in.Labels)
}

func withLabels(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, name+"="+labels[name])
	}
	return ", labels " + strings.Join(all, " ")
}
