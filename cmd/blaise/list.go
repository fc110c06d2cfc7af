package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func listCommand(a *app) *cobra.Command {
	var f api.SessionFilter
	var agent string
	c := a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List sessions, the latest first", Args: noArgs,
		Example: "  blaise list\n  blaise list --state parked --json",
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			f.Agent = blaise.AgentName(agent)
			l, err := sessions(ctx, c, f)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, l)
			}
			some := f.State != "" || agent != "" || f.Text != "" || f.Before != ""
			a.printSessions(l, some)
			if some {
				return nil
			}
			return a.listLeftovers(ctx, c)
		}),
	})
	fl := c.Flags()
	fl.StringVar(&f.State, "state", "", "only those in this state, or ended so (succeeded, failed, cancelled, timed_out);\nneeds: those that need a person")
	fl.StringVar(&agent, "agent", "", "only those of this agent")
	fl.StringVar(&f.Text, "find", "", "only those with this in id, title, author or reason")
	fl.IntVar(&f.Limit, "limit", 50, "at most so many")
	fl.StringVar(&f.Before, "before", "", "the page after this one, as told at its end")
	return c
}

func (a *app) printSessions(l api.Sessions, some bool) {
	switch {
	case len(l.Sessions) > 0:
	case l.Next != "":
		fmt.Fprintf(a.out, "none so far; more: blaise list --before %s\n", l.Next)
		return
	case some:
		fmt.Fprintln(a.out, "no sessions match")
		return
	default:
		fmt.Fprintln(a.out, "no sessions; begin one with `blaise start`")
		return
	}
	t := table{
		head:  []string{"ID", "AGENT", "STATE", "ENVIRONMENT", "AGE", "USED", "REPO", "TITLE"},
		least: []string{"REPO", "USED", "ENVIRONMENT", "AGE", "AGENT"}, paint: a.states(),
	}
	for _, s := range l.Sessions {
		t.add(string(s.ID), oneLine(string(s.Agent), 16), stateOf(s), string(s.Environment),
			rough(a.now().Sub(s.CreatedAt)), usedText(s.Usage), repoName(s.Repo), oneLine(s.Title, 80))
	}
	t.print(a.out, a.look())
	if l.Next != "" {
		fmt.Fprintf(a.out, "more: blaise list --before %s\n", l.Next)
	}
}

// mirrorMark ends the name of a mirror: it keeps apart what reads alike.
var mirrorMark = regexp.MustCompile(`\.[0-9a-f]{16}\.git$`)

// repoName is what a list shows of a repository.
func repoName(path string) string {
	if path == "" {
		return "-"
	}
	name := strings.TrimSuffix(mirrorMark.ReplaceAllString(filepath.Base(path), ""), ".git")
	if words := []rune(name); len(words) > 24 {
		return "…" + oneLine(string(words[len(words)-23:]), 23) // a host is before, what tells it apart behind
	}
	return oneLine(name, 24)
}

// sessions lists sessions. A state may be an outcome: of the ended ones, those
// that ended so are chosen here, page by page, until there are enough.
func sessions(ctx context.Context, c *api.Client, f api.SessionFilter) (api.Sessions, error) {
	outcome := blaise.Outcome(f.State)
	switch outcome {
	case blaise.OutcomeSucceeded, blaise.OutcomeFailed, blaise.OutcomeCancelled, blaise.OutcomeTimedOut:
	default:
		return c.Sessions(ctx, f)
	}
	f.State = string(blaise.SessionEnded)
	some := api.Sessions{Sessions: []api.Summary{}}
	for {
		l, err := c.Sessions(ctx, f)
		if err != nil {
			return some, err
		}
		for _, s := range l.Sessions {
			if s.Outcome == outcome {
				some.Sessions = append(some.Sessions, s)
			}
		}
		some.Counts, some.Next, f.Before = l.Counts, l.Next, l.Next
		if l.Next == "" || len(some.Sessions) >= f.Limit {
			return some, nil
		}
	}
}

// stateOf is a session's state with what a person should see at once.
func stateOf(s api.Summary) string {
	text := string(s.State)
	switch {
	case s.State == blaise.SessionEnded:
		text = string(s.Outcome)
	case s.Queue.Short() != "":
		text += " (" + s.Queue.Short() + ")"
	case s.Waits > 0:
		text += fmt.Sprintf(" (%d to answer)", s.Waits)
	}
	if s.Held {
		text += ", held"
	}
	return text
}
