package main

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func auditCommand(a *app) *cobra.Command {
	var f api.AuditFilter
	c := a.jsonFlag(&cobra.Command{
		Use: "audit", Short: "List who did what to users, tokens, agents, runners",
		Long: "Lists who did what to Blaise itself, the latest first: users, tokens, webhooks, agents,\n" +
			"runners, deleted sessions, and who signed in or tried to. What was done to a session is in\n" +
			"its own history. Lines are never changed or taken out. For administrators.\n\nKinds: " + auditWords() + ".",
		Example: "  blaise audit\n  blaise audit --by ann --kind token.created", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			l, err := c.Audits(ctx, f)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, l)
			}
			t := table{head: []string{"WHEN", "WHO", "WHAT", "ON", "OUTCOME", "DETAIL"}}
			for _, line := range l.Lines {
				t.add(line.At.Local().Format(time.DateTime), dash(oneLine(line.By, 40)), string(line.Kind),
					dash(oneLine(line.Thing, 40)), line.Outcome, oneLine(line.Detail, 200))
			}
			t.print(a.out, a.look())
			if l.Next > 0 {
				fmt.Fprintf(a.err, "older ones: --before %d\n", l.Next)
			}
			return nil
		}),
	})
	c.Flags().StringVar(&f.By, "by", "", "what this `PERSON` did")
	c.Flags().StringVar((*string)(&f.Kind), "kind", "", "acts of this `KIND`")
	c.Flags().IntVar(&f.Limit, "limit", 50, "at most so many")
	c.Flags().Int64Var(&f.Before, "before", 0, "those before this `LINE`")
	return c
}

// auditWords names all kinds of acts.
func auditWords() string {
	text := ""
	for i, k := range blaise.AuditKinds() {
		switch {
		case i == 0:
			text += "\n  "
		case i%4 == 0:
			text += ",\n  "
		default:
			text += ", "
		}
		text += string(k)
	}
	return text
}
