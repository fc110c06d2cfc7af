package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// repoFile has the repository that dev worked on last, in its data folder.
const repoFile = "repository"

// sayMoved says that the sessions of the data folder may be another
// repository's: one data folder is meant for one.
func (d devAgents) sayMoved(w io.Writer, data string) {
	path := filepath.Join(data, repoFile)
	last, err := readToken(path)
	if err == nil && last != "" && last != d.repo {
		fmt.Fprintf(w, "blaise: the sessions so far in %s are of repository %s; give this one a folder "+
			"of its own with --data\n", data, last)
	}
	if last != d.repo {
		_ = writePrivate(path, []byte(d.repo+"\n")) // the next start says nothing then
	}
}
