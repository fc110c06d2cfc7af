package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func showCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "show ID", Short: "Show a session: its state, what it holds, what was said",
		Example: "  blaise show k3v9\n  blaise show k3v9 --json | jq .environment.state",
		Args:    exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			s, err := found(ctx, c, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, s)
			}
			a.printSession(s)
			return nil
		}),
	})
}

// reasonMost is how much of a reason is shown: one may hold the lines of a log.
const reasonMost = 1000

func (a *app) printSession(s api.Session) {
	a.field("session", "%s  %s", s.ID, oneLine(s.Title, 80))
	state := string(s.State)
	if s.Outcome != "" {
		state += ", " + string(s.Outcome)
	}
	if s.Held {
		state += ", held"
	}
	a.field("state", "%s", because(state, oneLine(s.Reason, reasonMost)))
	a.field("agent", "%s", s.Agent)
	if waits := s.Queue.Waits(); waits != "" {
		a.field("queue", "%s", waits)
	}
	if s.Repo != "" {
		a.field("repository", "%s", s.Repo)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Inputs)) {
		a.field("input", "%s=%s", name, s.Inputs[name])
	}
	if s.Context != "" {
		a.field("resumed", "%s", s.Context.Words())
	}
	a.printStatus(s)
	a.printUsage(s)
	a.printEnvironment(s.Environment)
	a.printWaits(s)
	a.printClocks(s.Clocks)
	a.printMessages(s.Messages)
	a.printRuns(s.Runs)
	for _, w := range s.Saves {
		a.field(fmt.Sprintf("save %d", w.N), "%s, %s, %s", placeOf(w), ago(w.At, a.now()), blaise.Count(w.Files, "file"))
	}
}

func (a *app) field(name, format string, args ...any) {
	look := a.look()
	text := harmless(fmt.Sprintf(format, args...))
	lead := strings.Repeat(" ", 13)
	if name != "" {
		lead = look.Dim(fmt.Sprintf("%-12s", name)) + " "
	}
	fmt.Fprintln(a.out, strings.Join(look.Words(text, lead, strings.Repeat(" ", 13)), "\n"))
}

func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

func (a *app) printEnvironment(e api.Environment) {
	a.field("environment", "%s: %s", e.State, e.Meaning)
	if e.LastError != "" {
		a.field("last error", "%s", oneLine(e.LastError, reasonMost))
	}
	if e.LeftBehind != "" {
		a.field("left behind", "%s", e.LeftBehind)
		a.field("", "see to it, then: blaise mark-destroyed %s --reason WHY", e.ID)
	}
	for _, p := range e.Plugs {
		state := p.State
		if e.State == blaise.EnvDestroyed && p.State != "unowned" {
			state = "gone"
		}
		a.field("plug", "%s (%s) %s", p.ID, p.Use, because(state, p.Why))
		for _, r := range p.Resources {
			if !r.Gone {
				a.field("holds", "%s %s on %s", r.Kind, r.Name, r.Where)
			}
		}
	}
}

func (a *app) printWaits(s api.Session) {
	for _, w := range s.Waits {
		_, short := splitID(string(w.ID))
		a.field("asks", "%s: %s", short, oneLine(w.What, 200))
		if w.Kind == blaise.QuestionElicitation {
			a.printForm(s.ID, short, blaise.FormOf(w.Detail))
			continue
		}
		a.printAsked(w)
		if w.Rule != "" {
			a.field("", "put to you by %s", w.Rule)
		}
		a.field("", "blaise approve %s %s, or blaise deny %s %s", s.ID, short, s.ID, short)
		for _, o := range w.Options {
			a.field("", "--choice %s  %s", o.ID, because(oneLine(o.Name, 120), o.Caution()))
		}
	}
}

// askedRows is how many lines of what is asked for are shown.
const askedRows = 20

// printAsked shows what exactly a question is about.
func (a *app) printAsked(w api.Wait) {
	look := a.look()
	lead := strings.Repeat(" ", 13)
	look.Width = max(look.Width-len(lead), 0)
	for _, line := range look.Asked(w.Detail, askedRows) {
		fmt.Fprintln(a.out, lead+line)
	}
}

// printForm shows what an agent asks for and how to answer.
func (a *app) printForm(id blaise.SessionID, short string, f blaise.Form) {
	if f.URL != "" {
		a.field("", "open %s", f.URL)
	}
	set := ""
	for _, x := range f.Fields {
		about := because(x.Title, x.Description)
		if x.Default != "" {
			about += " (default " + x.Default + ")"
		}
		if !x.Required {
			about += ", if you like"
		}
		a.field("", "%s=%s  %s", x.Name, x.Wants(), oneLine(about, 120))
		if x.Required && x.Default == "" {
			set += " --set " + x.Name + "=" + x.Wants()
		}
	}
	a.field("", "blaise approve %s %s%s, or blaise deny %s %s", id, short, set, id, short)
}

func (a *app) printClocks(clocks []api.Clock) {
	for _, k := range clocks {
		left, stands := k.Left(a.now())
		when := "in " + rough(left)
		if stands {
			when = "stands still, with " + rough(left) + " left"
		}
		a.field("clock", "%s %s: %s; from %s", k.Kind, when, k.Then, k.Setting)
	}
}

func (a *app) printMessages(all []api.Message) {
	for _, m := range all {
		_, short := splitID(string(m.ID))
		a.field("message", "%s %s: %s", short, because(string(m.State), oneLine(m.Why(), reasonMost)), oneLine(m.Text, 80))
		for _, f := range m.Attachments {
			a.field("", "with %s", oneLine(f.String(), 100))
		}
		if m.State == blaise.MessageQueued {
			a.field("", "take it back: %s", withdrawOf(m.ID))
		}
		if m.Answer != "" {
			a.field("", "> %s", oneLine(strings.TrimSpace(m.Answer), 100))
		}
		if text := oneLine(m.Usage.Words(), 200); text != "" {
			a.field("", "used %s", text)
		}
	}
}

func (a *app) printRuns(all []api.Run) {
	for _, r := range all {
		state := string(r.State)
		if r.Outcome != "" {
			state = string(r.Outcome)
		}
		a.field("run", "%s %s %s", r.ID, r.Kind, because(state, oneLine(r.Reason, reasonMost)))
	}
}
