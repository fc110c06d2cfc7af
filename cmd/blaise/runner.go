package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func runnerCommand(a *app) *cobra.Command {
	c := family("runner", "See the runners and their daemons", "  blaise runner list")
	c.AddCommand(runnerListCommand(a), runnerShowCommand(a))
	return c
}

func runnerListCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List the runners", Example: "  blaise runner list", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			all, err := c.Runners(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, all)
			}
			t := table{
				head:  []string{"NAME", "STATE", "RUNS", "ID", "PROBED", "LABELS"},
				least: []string{"ID", "PROBED"}, paint: a.states(),
			}
			for _, r := range all {
				state, runs := runnerState(r)
				t.add(oneLine(r.Name, 24), state, fmt.Sprint(runs), string(r.ID),
					oneLine(probedAgents(r), 40), labels(allLabels(r)))
			}
			t.print(a.out, a.look())
			return nil
		}),
	})
}

// runnerState is what the daemons of a runner do, each counted once, and how many
// runs they have.
func runnerState(r api.Runner) (string, int) {
	does, runs := map[string]int{}, 0
	for _, i := range r.Instances {
		runs += len(i.Runs)
		does[doing(i)]++
	}
	switch {
	case r.Revoked:
		return "revoked", runs
	case r.Leaving != nil:
		return "drains, then revoked", runs
	case does["stopped"] > 0 && does["stopped"] == len(r.Instances):
		return "stopped", runs
	}
	var parts []string
	for _, state := range []string{"online", "draining", "paused"} {
		if does[state] > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d)", state, does[state]))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "offline"), runs
}

// doing is what a daemon does, in a word.
func doing(i api.Instance) string {
	switch {
	case !i.StoppedAt.IsZero():
		return "stopped"
	case !i.Online:
		return "offline"
	case i.Draining:
		return "draining"
	case i.Paused != "":
		return "paused"
	}
	return "online"
}

// allLabels are those of the token and of the runner's blaise.yml; the token's
// outrank the others.
func allLabels(r api.Runner) map[string]string {
	all := map[string]string{}
	for _, in := range r.Instances {
		maps.Copy(all, in.Labels)
	}
	maps.Copy(all, r.Labels)
	return all
}

func labels(m map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+"="+m[k])
	}
	return dash(strings.Join(all, " "))
}

// probedAgents are the agents that were probed on a machine of the runner; one
// with an exclamation mark does not work everywhere as it should.
func probedAgents(r api.Runner) string {
	bad := map[string]bool{}
	for _, i := range r.Instances {
		for _, p := range i.Probed {
			bad[p.Name] = bad[p.Name] || p.Result() != "works"
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		if bad[name] {
			name += "!"
		}
		names = append(names, name)
	}
	return dash(strings.Join(names, " "))
}

func runnerShowCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "show RUNNER", Short: "Show a runner and its daemons", Example: "  blaise runner show laptop",
		Args: exactArgs("a runner"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			r, err := findRunner(ctx, c, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, r)
			}
			a.printRunner(r)
			return nil
		}),
	})
}

func (a *app) printRunner(r api.Runner) {
	state, _ := runnerState(r)
	a.field("runner", "%s  %s", r.Name, r.ID)
	a.field("state", "%s", state)
	if r.Leaving != nil && !r.Revoked {
		a.field("", "its token is revoked when nothing is left there; asked by %s", r.Leaving.By)
	}
	if r.OldUntil.After(a.now()) {
		a.field("", "its old token is good for %s more", rough(r.OldUntil.Sub(a.now())))
	}
	a.field("labels", "%s", labels(allLabels(r)))
	for _, i := range r.Instances {
		state := doing(i)
		switch state {
		case "stopped":
			state += " " + ago(i.StoppedAt, a.now())
		case "offline":
			state = "last heard " + ago(i.LastSeen, a.now())
		case "paused":
			state += ": " + i.Paused
		}
		a.field("daemon", "%s on %s, version %s, %s, %d of %d slots taken",
			i.ID, i.Host, i.Version, state, len(i.Runs), i.Slots)
		for _, run := range i.Runs {
			a.field("", "run %s", run)
		}
		for _, p := range i.Probed {
			a.field("probed", "%s %s, %s: %s", p.Name, p.Version, ago(p.At, a.now()), p.Result())
		}
	}
}
