package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func listCommand(a *app) *cobra.Command {
	var f api.SessionFilter
	var agent, output string
	c := a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List sessions, the latest first", Args: noArgs,
		Long: "Lists sessions, the latest first. On a terminal the table fits; who began a session is shown\n" +
			"where that is more than one person, and every column with -o wide.",
		Example: "  blaise list\n  blaise list --state parked --json\n  blaise list -o wide",
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			if f.Limit < 1 {
				return usage("--limit %d: want a number from 1 on", f.Limit)
			}
			if output != "" && output != "wide" {
				return usage("--output %q: want wide, or leave it out; --json is for programs", output)
			}
			f.Agent = blaise.AgentName(agent)
			l, err := c.Sessions(ctx, f)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, l)
			}
			some := f.State != "" || agent != "" || f.Text != "" || f.Before != ""
			a.printSessions(l, some, output == "wide")
			if l.Next != "" {
				fmt.Fprintln(a.out, "more: "+nextPage(f, l.Next))
			}
			if some {
				return nil
			}
			a.countNeedy(l)
			return a.listLeftovers(ctx, c)
		}),
	})
	fl := c.Flags()
	fl.StringVar(&f.State, "state", "", "only those in this state, or ended so (succeeded, failed, cancelled, timed_out);\nneeds: those that need a person")
	fl.StringVar(&agent, "agent", "", "only those of this agent")
	fl.StringVar(&f.Text, "find", "", "only those with this in id, title, author or reason")
	fl.IntVar(&f.Limit, "limit", 50, "at most so many")
	fl.StringVarP(&output, "output", "o", "", "wide: all columns, whole")
	fl.StringVar(&f.Before, "before", "", "the page after this one, as told at its end")
	return c
}

func (a *app) printSessions(l api.Sessions, some, wide bool) {
	switch {
	case len(l.Sessions) > 0:
	case some:
		fmt.Fprintln(a.out, "no sessions match")
		return
	default:
		fmt.Fprintln(a.out, "no sessions; begin one with `blaise start`")
		return
	}
	t := table{
		head:  []string{"ID", "AGENT", "STATE", "ENVIRONMENT", "AGE", "USED", "AUTHOR", "REPO", "TITLE"},
		least: []string{"REPO", "USED", "ENVIRONMENT", "AGE", "AUTHOR", "AGENT"}, paint: a.states(),
	}
	for _, s := range l.Sessions {
		t.add(string(s.ID), oneLine(string(s.Agent), 16), stateOf(s), string(s.Environment),
			rough(a.now().Sub(s.CreatedAt)), usedText(s.Usage), oneLine(s.Author, 24), repoName(s.Repo), oneLine(s.Title, 80))
	}
	look := a.look()
	switch {
	case wide:
		look.Width = 0
	case !severalAuthors(l.Sessions):
		t.leaveOut("AUTHOR")
	}
	t.print(a.out, look)
}

func severalAuthors(all []api.Summary) bool {
	return slices.ContainsFunc(all, func(s api.Summary) bool { return s.Author != all[0].Author })
}

// nextPage is the command that lists what comes after.
func nextPage(f api.SessionFilter, next string) string {
	line := "blaise list"
	for _, flag := range []struct{ name, value string }{
		{"state", f.State}, {"agent", string(f.Agent)}, {"find", f.Text}, {"before", next},
	} {
		if flag.value != "" {
			line += " --" + flag.name + " " + quoted(flag.value)
		}
	}
	return line
}

// countNeedy says what a person should see to, be it on this page or not.
func (a *app) countNeedy(l api.Sessions) {
	switch {
	case l.Needs == 1:
		fmt.Fprintln(a.out, "1 needs a person: blaise list --state needs")
	case l.Needs > 1:
		fmt.Fprintf(a.out, "%d need a person: blaise list --state needs\n", l.Needs)
	}
	for _, s := range l.Sessions {
		if s.Blocked != "" {
			fmt.Fprintf(a.out, "a run was refused, and waits until you have done something: blaise why %s\n", s.ID)
			break // the others are in the list, with the same word
		}
	}
	a.countLacking(l)
	if l.Failed > 0 {
		fmt.Fprintf(a.out, "%d failed in the last 24 hours: blaise list --state failed\n", l.Failed)
	}
}

// countLacking says how many of those that are listed no runner may take that is
// here: one may come by itself, and may not.
func (a *app) countLacking(l api.Sessions) {
	lacking := l.Lacking()
	switch {
	case len(lacking) == 1:
		fmt.Fprintf(a.out, "1 waits for a runner, and none that is here may take it: blaise why %s\n", lacking[0])
	case len(lacking) > 1:
		fmt.Fprintf(a.out, "%d wait for a runner, and none that is here may take them: blaise why %s\n", len(lacking), lacking[0])
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

// stateOf is a session's state with what a person should see at once.
func stateOf(s api.Summary) string {
	text := string(s.State)
	switch {
	case s.State == blaise.SessionEnded:
		text = string(s.Outcome)
	case s.Queue.Short() != "":
		text += " (" + s.Queue.Short() + ")"
	case s.Blocked != "":
		text += " (refused)"
	case s.Waits > 0:
		text += fmt.Sprintf(" (%d to answer)", s.Waits)
	}
	if s.Held {
		text += ", held"
	}
	return text
}
