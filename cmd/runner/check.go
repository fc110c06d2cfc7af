package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"

	"github.com/spf13/cobra"
)

// A finding is one thing that check looked at.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

func checkCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "check", Short: "Read blaise.yml and say what is wrong, or what a run would do",
		Example: "  runner check\n  runner check --config team/blaise.yml --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Read(a.config)
			if err != nil && !a.json {
				return usage("%v", err)
			}
			found := check(cmd.Context(), a.config, cfg, err)
			if a.json {
				if err := a.print(found); err != nil {
					return err
				}
			} else {
				a.printFindings(found)
			}
			if err != nil {
				return usage("%v", err)
			}
			bad := slices.IndexFunc(found, func(f finding) bool { return !f.OK })
			if bad < 0 {
				return nil
			}
			return blaise.Errorf(blaise.CodeInternal, "a run would not work: %s: %s",
				found[bad].What, strings.SplitN(found[bad].Text, "\n", 2)[0])
		},
	})
}

func (a *app) printFindings(found []finding) {
	for _, f := range found {
		mark := "ok "
		if !f.OK {
			mark = "BAD"
		}
		fmt.Fprintf(a.out, "%s  %s: %s\n", mark, f.What, f.Text)
	}
}

// check looks at everything that can be known without a run.
func check(ctx context.Context, file string, cfg config.Config, err error) []finding {
	if err != nil {
		return problems(file, err)
	}
	found := []finding{{What: file, OK: true, Text: fmt.Sprintf("%d plugs, %d slots", len(cfg.Plugs), cfg.Runner.Slots)}}
	found = append(found, checkAgent(cfg))
	found = append(found, checkEnv(cfg)...)
	for _, s := range cfg.Plugs {
		found = append(found, checkPlug(ctx, filepath.Dir(file), s))
	}
	return found
}

func problems(file string, err error) []finding {
	var all config.Problems
	if !errors.As(err, &all) {
		return []finding{{What: file, Text: err.Error()}}
	}
	var found []finding
	for _, p := range all {
		found = append(found, finding{What: fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column), Text: p.Text})
	}
	return found
}

// checkAgent looks for the agent's program here. Behind a plug that has programs
// of its own only a run can tell.
func checkAgent(cfg config.Config) finding {
	argv, install := cfg.Agent.Command, ""
	if len(argv) == 0 {
		p, _ := acp.Lookup(cfg.Agent.Use) // config knows it
		argv, install = p.Command, p.Install
	}
	if len(argv) == 0 {
		return finding{What: "agent", OK: true, Text: "the demo agent, part of this program"}
	}
	path, err := exec.LookPath(argv[0])
	switch {
	case err == nil:
		return finding{What: "agent", OK: true, Text: path}
	case !hostPrograms(cfg.Plugs):
		return finding{What: "agent", OK: true,
			Text: fmt.Sprintf("%s is not here; it must be inside plug %q", argv[0], cfg.Plugs[len(cfg.Plugs)-1].ID)}
	case install != "":
		return finding{What: "agent", Text: fmt.Sprintf("program %q is not found: %s", argv[0], install)}
	}
	return finding{What: "agent", Text: fmt.Sprintf("program %q is not found", argv[0])}
}

// hostPrograms says that the agent sees the programs of this machine.
func hostPrograms(specs []plug.Spec) bool {
	return !slices.ContainsFunc(specs, func(s plug.Spec) bool { return s.Use == "container" })
}

func checkEnv(cfg config.Config) []finding {
	var found []finding
	for name, v := range cfg.Agent.Env {
		if v.From == "" {
			continue
		}
		if _, ok := os.LookupEnv(v.From); !ok {
			found = append(found, finding{What: "agent.env." + name,
				Text: fmt.Sprintf("the runner has no variable %s", v.From)})
		}
	}
	return found
}

func checkPlug(ctx context.Context, dir string, s plug.Spec) finding {
	f := finding{What: fmt.Sprintf("plug %s", s.ID), OK: true, Text: s.Use}
	if s.Use != "worktree" {
		return f
	}
	repo := or(key(s, "repo"), ".")
	if !filepath.IsAbs(repo) {
		repo = filepath.Join(dir, repo)
	}
	out, err := exec.CommandContext(ctx, "git", "-C", repo, "rev-parse", "--git-dir").CombinedOutput()
	if err != nil {
		return finding{What: f.What, Text: fmt.Sprintf("%s is no git repository: %s", repo,
			strings.TrimSpace(string(out)))}
	}
	f.Text = "worktree of " + repo
	return f
}

// key is a text key of a spec, "" if it is not there.
func key(s plug.Spec, name string) string {
	c := s.Config.Content
	for i := 0; i+1 < len(c); i += 2 {
		if c[i].Value == name {
			return c[i+1].Value
		}
	}
	return ""
}
