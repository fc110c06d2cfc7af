package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"blaise.dev/blaise/internal/check"

	"gopkg.in/yaml.v3"
)

// slots are what the repository's own blaise.yml says, else those of dev.
func (d devAgents) slots() int {
	var doc struct {
		Runner struct {
			Slots int `yaml:"slots"`
		} `yaml:"runner"`
	}
	b, err := os.ReadFile(d.own)
	if err != nil || yaml.Unmarshal(b, &doc) != nil || doc.Runner.Slots < 1 {
		return devSlots
	}
	return doc.Runner.Slots
}

// sayProblems says what is wrong with the repository's own blaise.yml. Dev goes
// on: the file is read anew by every run, and may be mended meanwhile.
func (d devAgents) sayProblems(ctx context.Context, w io.Writer) {
	if d.own == "" {
		return
	}
	_, found, err := check.File(ctx, d.own)
	bad := check.Bad(found)
	if len(bad) == 0 {
		return
	}
	fate := "a run would not work"
	if err != nil {
		fate = "no run of it can begin"
	}
	fmt.Fprintf(w, "blaise: %s: %s; mend it, the next run reads it anew\n", d.own, fate)
	for _, f := range bad {
		fmt.Fprintf(w, "  %s: %s\n", f.What, f.Text)
	}
}
