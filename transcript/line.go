package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"blaise.dev/blaise"
)

// Line renders e as one plain line for a terminal, without its time. It is
// harmless whatever an agent wrote: control characters and marks that turn
// the direction of text are gone, line breaks are spaces. It is "" for an
// event that has nothing to show.
func Line(e Event) string {
	if cut, ok := CutOf(e); ok {
		return Harmless(cut.line(e))
	}
	if e.Kind == KindUpdate {
		return Harmless(updateLine(e.Data))
	}
	var d lineFields
	if len(e.Data) > 0 && json.Unmarshal(e.Data, &d) != nil {
		return Harmless(string(e.Kind) + ": " + string(e.Data))
	}
	render, ok := lines[e.Kind]
	if !ok {
		return Harmless(string(e.Kind) + ": " + string(e.Data))
	}
	return Harmless(render(d))
}

// lineFields are all fields of the kinds' data that a line shows.
type lineFields struct {
	Author, Text, Result, StopReason string
	Title, Choice, By, Rule          string
	Subject, From, To, Reason        any
	Source, What, Unit               string
	Done, Total                      float64
	Name, Version, Why               string
	Repeat                           int
	Attachments                      []struct{ Name, Sent string }
}

var lines = map[Kind]func(lineFields) string{
	KindMessage:   func(d lineFields) string { return join(" ", d.Author+":", d.Text, attached(d)) },
	KindTurnBegan: func(lineFields) string { return "turn began" },
	KindTurnEnded: func(d lineFields) string {
		return join(": ", "turn ended", join(", ", d.Result, d.StopReason), str(d.Reason))
	},
	KindAsked: func(d lineFields) string { return join(" ", "asks:", d.Title) },
	KindDecided: func(d lineFields) string {
		return join(" ", "decided:", cmp.Or(d.Choice, "no answer"), by(d.By), paren(cmp.Or(d.why(), str(d.Reason))))
	},
	KindNotice: func(d lineFields) string { return join(" ", "notice:", d.Text) },
	KindState: func(d lineFields) string {
		return join(" ", str(d.Subject)+":", str(d.From), "->", str(d.To), paren(str(d.Reason)))
	},
	KindOutput:   func(d lineFields) string { return join(": ", d.Source, d.Text) },
	KindProgress: progressLine,
	KindAgent:    func(d lineFields) string { return join(" ", "agent:", d.Name, d.Version) },
	KindGap: func(d lineFields) string {
		return join(" ", "events", str(d.From), "to", str(d.To), "are missing", paren(d.Why))
	},
}

// why is the rule that decided, or that put the question to a person.
func (d lineFields) why() string {
	if d.Rule == "" || d.By == blaise.ByGate {
		return d.Rule
	}
	return "put to you by " + d.Rule
}

// attached names what came with a message, and how the agent was given it.
func attached(d lineFields) string {
	var all []string
	for _, a := range d.Attachments {
		all = append(all, join(" ", a.Name, paren(a.Sent)))
	}
	if len(all) == 0 {
		return ""
	}
	return "[with " + strings.Join(all, ", ") + "]"
}

func (c Cut) line(e Event) string {
	return fmt.Sprintf("%s: %d bytes, of which this is the beginning (event %d): %.200s", e.Kind, c.Size, e.Seq, c.Head)
}

func progressLine(d lineFields) string {
	if d.Total == 0 {
		return join(" ", d.What, paren(amount(d.Done, d.Unit)))
	}
	return join(" ", d.What, paren(fmt.Sprintf("%v of %s", d.Done, amount(d.Total, d.Unit))))
}

func amount(n float64, unit string) string {
	if n == 0 {
		return ""
	}
	return join(" ", fmt.Sprint(n), unit)
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return "by " + who
}

func paren(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func str(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// join leaves out what is empty.
func join(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" && p != ":" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}
