package blaise_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

var update = flag.Bool("update", false, "write docs/states.md anew")

const statesFile = "docs/states.md"

func TestStatesDocumentIsFresh(t *testing.T) {
	want := statesDocument()
	if *update {
		if err := os.WriteFile(statesFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(statesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: run go test . -run TestStatesDocumentIsFresh -update", statesFile)
	}
}

func TestTableOfEnvironmentStates(t *testing.T) {
	reached := map[blaise.EnvironmentState]bool{blaise.EnvNone: true}
	seen := map[blaise.EnvironmentState]bool{}
	for _, s := range blaise.EnvironmentStates() {
		if seen[s] {
			t.Errorf("%s has two rows", s)
		}
		seen[s] = true
		if s.Meaning() == "" {
			t.Errorf("%s is not explained", s)
		}
		for _, on := range s.Events() {
			next, _ := s.Next(on)
			if next.Meaning() == "" {
				t.Errorf("%s on %s leads to %q, which has no row", s, on, next)
			}
			reached[next] = true
		}
		for _, k := range s.Clocks() {
			if k.Meaning() == "" {
				t.Errorf("clock %s of %s is not explained", k, s)
			}
		}
	}
	for _, s := range blaise.EnvironmentStates() {
		if !reached[s] {
			t.Errorf("no row leads to %s", s)
		}
		_, revoked := s.Next("runner_revoked")
		spared := s == blaise.EnvNone || s == blaise.EnvDestroyed || s == blaise.EnvLost
		if revoked == spared {
			t.Errorf("%s on runner_revoked: %t", s, revoked)
		}
	}
}

func TestLegendExplainsEveryState(t *testing.T) {
	for _, subject := range []string{"environment", "session", "run", "message"} {
		legend := blaise.Legend(subject)
		if len(legend) == 0 {
			t.Errorf("no legend of %s", subject)
		}
		for _, e := range legend {
			if e.Meaning == "" {
				t.Errorf("%s %s is not explained", subject, e.State)
			}
		}
	}
	if got := blaise.SessionParked.Meaning(); !strings.Contains(got, "person") {
		t.Errorf("parked means %q", got)
	}
	if blaise.RunOffered.Meaning() == "" || blaise.MessageQueued.Meaning() == "" {
		t.Error("a run or message state is not explained")
	}
}

// statesDocument is docs/states.md.
func statesDocument() string {
	var b strings.Builder
	b.WriteString("# States\n\n<!-- Generated from environment_state.go and legend.go: " +
		"go test . -run TestStatesDocumentIsFresh -update -->\n\n")
	b.WriteString("What an event means for a session, its environment, its run, messages, questions and\n" +
		"clocks together is one function, `blaise.Decide`. The numbers (A7) are those of the requirements.\n\n")
	b.WriteString("## Environment\n\n```mermaid\nstateDiagram-v2\n    [*] --> none\n")
	for _, s := range blaise.EnvironmentStates() {
		for _, edge := range edges(s) {
			if edge.to == blaise.EnvLost {
				continue // from any but none and destroyed: said below
			}
			fmt.Fprintf(&b, "    %s --> %s: %s\n", s, edge.to, strings.Join(edge.on, ", "))
		}
	}
	b.WriteString("    note right of lost: from every state but none and destroyed, on runner_revoked\n```\n\n")
	b.WriteString("| state | meaning | clocks | event → next |\n|---|---|---|---|\n")
	for _, s := range blaise.EnvironmentStates() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s, s.Meaning(), clockNames(s), nexts(s))
	}
	b.WriteString("\nA report that has no row is recorded, changes nothing, and is answered with `exit`.\n")
	b.WriteString("A guard stands in brackets. `last try` is the fifth failed try of a teardown (A19);\n" +
		"`run_back` is a run declared lost that returns before another was accepted (X2).\n")
	for _, subject := range []string{"session", "run", "message"} {
		fmt.Fprintf(&b, "\n## %s\n\n| state | meaning |\n|---|---|\n",
			strings.ToUpper(subject[:1])+subject[1:])
		for _, e := range blaise.Legend(subject) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", e.State, e.Meaning)
		}
	}
	b.WriteString("\nThe state of a session is derived from all the rest at the end of every decision; none sets it.\n")
	b.WriteString("\n## Clocks\n\n| clock | when it fires |\n|---|---|\n")
	for _, k := range blaise.ClockKinds() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k, k.Meaning())
	}
	b.WriteString("\nA hold stops them all and gives the time back at its release (B11).\n")
	return b.String()
}

type edge struct {
	to blaise.EnvironmentState
	on []string
}

// edges groups the events of a state by where they lead.
func edges(s blaise.EnvironmentState) []edge {
	var list []edge
	for _, on := range s.Events() {
		to, _ := s.Next(on)
		found := false
		for i := range list {
			if list[i].to == to {
				list[i].on, found = append(list[i].on, string(on)), true
			}
		}
		if !found {
			list = append(list, edge{to, []string{string(on)}})
		}
	}
	return list
}

func nexts(s blaise.EnvironmentState) string {
	var list []string
	for _, e := range edges(s) {
		list = append(list, strings.Join(e.on, ", ")+" → `"+string(e.to)+"`")
	}
	return strings.Join(list, " · ")
}

func clockNames(s blaise.EnvironmentState) string {
	var names []string
	for _, k := range s.Clocks() {
		names = append(names, "`"+string(k)+"`")
	}
	return strings.Join(names, " ")
}
