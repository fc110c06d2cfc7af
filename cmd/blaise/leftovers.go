package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"blaise.dev/blaise/api"
)

// listLeftovers says what a person must see to, for no run will come for it.
func (a *app) listLeftovers(ctx context.Context, c *api.Client) error {
	l, err := c.Leftovers(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(l.Environments, func(a, b api.Leftover) int { return cmp.Compare(a.Why, b.Why) })
	told := ""
	for _, e := range l.Environments {
		if about := fmt.Sprintf("left behind, %s: %s", e.State, e.Why); about != told {
			fmt.Fprintln(a.out, about)
			told = about
		}
		fmt.Fprintf(a.out, "  environment %s (blaise show %s)\n", e.Environment, e.Session)
		for _, r := range e.Resources {
			fmt.Fprintf(a.out, "    %s %s on %s\n", r.Kind, harmless(r.Name), harmless(r.Where))
		}
	}
	for _, m := range l.Machines {
		fmt.Fprintf(a.out, "on %s, as seen at %s; there: runner inventory, runner reap\n",
			harmless(m.Host), m.At.Local().Format("2006-01-02 15:04"))
		for _, t := range m.Things {
			fmt.Fprintf(a.out, "  %s: %s %s: %s\n", t.Class, t.Kind, harmless(t.Name), harmless(t.Why))
		}
	}
	return nil
}
