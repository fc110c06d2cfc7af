package main

import (
	"context"
	"fmt"

	"blaise.dev/blaise/api"
)

// listLeftovers says what a person must see to, for no run will come for it.
func (a *app) listLeftovers(ctx context.Context, c *api.Client) error {
	l, err := c.Leftovers(ctx)
	if err != nil {
		return err
	}
	for _, e := range l.Environments {
		fmt.Fprintf(a.out, "left behind: environment %s is %s: %s (blaise show %s)\n", e.Environment, e.State, e.Why, e.Session)
		for _, r := range e.Resources {
			fmt.Fprintf(a.out, "    %s %s on %s\n", r.Kind, harmless(r.Name), harmless(r.Where))
		}
	}
	for _, m := range l.Machines {
		for _, t := range m.Things {
			fmt.Fprintf(a.out, "%s on %s: %s %s: %s\n", t.Class, harmless(m.Host), t.Kind, harmless(t.Name), harmless(t.Why))
		}
		fmt.Fprintf(a.out, "    as seen at %s; there: runner inventory, runner reap\n", m.At.Local().Format("2006-01-02 15:04"))
	}
	return nil
}
