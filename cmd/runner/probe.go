package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/transcript"

	"github.com/spf13/cobra"
)

func probeCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "probe AGENT", Short: "Try what a coding agent can do on this machine",
		Long: `Try what a coding agent can do on this machine: start it, begin a conversation,
send it a small message, kill it, load the conversation in a new process and see
whether it remembers, cancel a turn, let it exit. It works in an empty directory
of its own, allows no tool, opens no browser and costs a few small turns of the
agent's model.

AGENT is a preset, or a program with its arguments. If blaise.yml is of the same
agent, the agent gets the environment written there. The result is kept in the
state directory; the runs of this runner go by it.`,
		Example: "  runner probe claude\n  runner probe --json -- my-agent --acp",
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault // of a program of one's own
			}
			return acp.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.probe(cmd.Context(), args)
		},
	})
}

func (a *app) probe(ctx context.Context, args []string) error {
	t, err := a.probeTarget(args)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "blaise-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t.dir = dir
	tell := func(s acp.ProbeStep) { a.showStep(s) }
	if a.json {
		tell = nil
	}
	p, err := acp.RunProbe(ctx, acp.ProbeOptions{
		Name: t.name, Preset: t.preset, CWD: dir, Start: t.start, Tell: tell,
		Info: acp.ClientInfo{Name: "blaise", Title: "Blaise", Version: programVersion()},
	})
	if err != nil {
		return err
	}
	state, err := filepath.Abs(a.state)
	if err != nil {
		return err
	}
	saved := p.Save(acp.ProbesDir(state))
	if err := a.showProbe(p, t, state); err != nil {
		return err
	}
	return errors.Join(saved, t.verdict(p))
}

// probeTarget finds the command and the environment of the agent.
func (a *app) probeTarget(args []string) (*probed, error) {
	t := &probed{name: args[0], command: args}
	if p, ok := acp.Lookup(args[0]); ok && len(args) == 1 {
		t.preset, t.command = p, p.Command
		for _, v := range p.Set {
			t.env = append(t.env, v.Name+"="+v.Note)
		}
	}
	if t.name == "demo" {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		t.command = []string{program, "demo-agent"}
	}
	if _, err := os.Stat(a.config); err != nil {
		return t, nil //nolint:nilerr // without a blaise.yml there is nothing to add
	}
	cfg, err := config.Read(a.config)
	if err != nil {
		return nil, err
	}
	if cfg.Agent.Use != t.name && strings.Join(cfg.Agent.Command, "\x00") != strings.Join(args, "\x00") {
		return t, nil
	}
	for name, v := range cfg.Agent.Env {
		value := v.Value
		if v.From != "" {
			value = os.Getenv(v.From)
		}
		t.env = append(t.env, name+"="+value)
	}
	return t, nil
}

func (a *app) showStep(s acp.ProbeStep) {
	line := fmt.Sprintf("%-8s %-32s %8v", s.Result, s.Name, s.Took.Round(time.Millisecond))
	if s.Detail != "" {
		line += "  " + printable(s.Detail)
	}
	fmt.Fprintln(a.out, strings.TrimRight(line, " "))
}

// printable is text that others wrote on one line, without what deceives.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if transcript.Deceives(r) {
			return ' '
		}
		return r
	}, s)
}

func (a *app) showProbe(p acp.Probe, t *probed, state string) error {
	if a.json {
		return a.print(p)
	}
	fmt.Fprintf(a.out, "\n%s: %s\n", t.name, summary(p))
	for fault, shows := range p.Faults {
		fmt.Fprintf(a.out, "  %s: %s\n", fault, printable(shows))
	}
	if w := t.preset.Warning; w != "" {
		fmt.Fprintf(a.out, "  warning: %s\n", w)
	}
	for _, note := range t.preset.Notes {
		fmt.Fprintf(a.out, "  note: %s\n", note)
	}
	_, err := fmt.Fprintf(a.out, "kept in %s\n", acp.ProbesDir(state))
	return err
}

func summary(p acp.Probe) string {
	who := printable(strings.TrimSpace(p.Agent + " " + p.Version))
	if who == "" {
		return "does not work here"
	}
	if !p.OK {
		return who + " does not do all that a run needs"
	}
	return who + " works"
}

// verdict is the exit of the command, with what to do about it.
func (t *probed) verdict(p acp.Probe) error {
	switch {
	case p.OK:
		return nil
	case p.Todo != "":
		return blaise.Errorf(blaise.CodeInternal, "agent %s is not logged in", t.name).WithHint("%s", p.Todo)
	case p.Agent == "" && t.missing && t.preset.Install != "":
		return blaise.Errorf(blaise.CodeInternal, "agent %s: program %q is not found", t.name, t.command[0]).
			WithHint("install it: %s", t.preset.Install)
	}
	for _, s := range p.Steps {
		if s.Result == acp.ProbeFails {
			return blaise.Errorf(blaise.CodeInternal, "agent %s: %s: %s", t.name, s.Name, printable(s.Detail))
		}
	}
	return nil
}
