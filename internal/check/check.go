// Package check looks at everything about a blaise.yml that can be known
// without a run. `runner check`, `runner start` and `blaise dev` call it. It
// opens no plug and changes nothing.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// A Finding is one thing that was looked at.
type Finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

// File reads the file and looks at what it names. The error is that of
// config.Read; the findings then say what is wrong with the file, each once.
func File(ctx context.Context, file string) (config.Config, []Finding, error) {
	cfg, err := config.Read(file)
	if err != nil {
		return cfg, problems(file, err), err
	}
	found := []Finding{{What: file, OK: true, Text: Plural(len(cfg.Plugs), "plug") + ", " +
		Plural(cfg.Runner.Slots, "slot")}}
	found = append(found, checkAgent(ctx, cfg, file))
	if p, _ := acp.Lookup(cfg.Agent.Use); p.Warning != "" {
		found = append(found, Finding{What: "agent", OK: true, Text: "warning: " + p.Warning})
	}
	found = append(found, checkEnv(cfg)...)
	found = append(found, checkOrder(cfg.Plugs)...)
	found = append(found, checkChoice(cfg)...)
	for i, s := range cfg.Plugs {
		if hostPrograms(cfg.Plugs[:i]) {
			if f, checked := checkHere(ctx, cfg.Base(file), s); checked {
				found = append(found, f)
				continue
			}
		}
		found = append(found, checkPlug(ctx, cfg.Base(file), s)...)
	}
	return cfg, found, nil
}

// Bad are the findings that are not as they should be.
func Bad(found []Finding) []Finding {
	var bad []Finding
	for _, f := range found {
		if !f.OK {
			bad = append(bad, f)
		}
	}
	return bad
}

// Plural is a number of things in words; the thing takes an s.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func problems(file string, err error) []Finding {
	var all config.Problems
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{{What: file, Text: "there is no such file"}}
	case !errors.As(err, &all):
		return []Finding{{What: file, Text: err.Error()}}
	}
	var found []Finding
	for _, p := range all {
		found = append(found, Finding{What: fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column), Text: p.Text})
	}
	return found
}

func checkEnv(cfg config.Config) []Finding {
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(cfg.Agent.Env)) {
		v := cfg.Agent.Env[name]
		if v.From == "" {
			continue
		}
		if _, ok := os.LookupEnv(v.From); !ok {
			found = append(found, Finding{What: "agent.env." + name,
				Text: fmt.Sprintf("the runner has no variable %s", v.From)})
		}
	}
	return found
}

func checkPlug(ctx context.Context, dir string, s plug.Spec) []Finding {
	what := "plug " + s.ID
	if s.Use != "worktree" {
		return checkNeeds(what, dir, s)
	}
	bad := checkNames(ctx, what, s)
	repo := key(s, "repo")
	if strings.Contains(repo, "{input.") {
		return append(bad, Finding{What: what, OK: true, Text: "worktree of " + repo + ", an input of the session"})
	}
	if plug.ByURL(repo) { // the file's reader has held it against runner.repos
		return append(bad, Finding{What: what, OK: true, Text: "worktree of " + plug.ShownRepo(repo)})
	}
	if repo == "" {
		repo = "."
	}
	if !filepath.IsAbs(repo) && !strings.HasPrefix(repo, "~") {
		repo = filepath.Join(dir, repo)
	}
	if out, err := git(ctx, repo, "rev-parse", "--git-dir"); err != nil {
		bad = append(bad, Finding{What: what, Text: fmt.Sprintf("%s is no git repository: %s", repo, out)})
	} else if base := key(s, "base"); base != "" && !strings.Contains(base, "{input.") {
		if _, err := git(ctx, repo, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}"); err != nil {
			bad = append(bad, Finding{What: what, Text: fmt.Sprintf("base: %s has no branch or commit %q", repo, base)})
		}
	}
	if len(bad) > 0 {
		return bad
	}
	return []Finding{{What: what, OK: true, Text: "worktree of " + repo}}
}

// checkNeeds looks for what a plug needs of this machine.
func checkNeeds(what, dir string, s plug.Spec) []Finding {
	p, err := plug.New(s)
	if err != nil {
		return []Finding{{What: what, Text: err.Error()}}
	}
	var bad []Finding
	for _, text := range plug.Missing(p, dir) {
		bad = append(bad, Finding{What: what, Text: text})
	}
	if len(bad) > 0 {
		return bad
	}
	return []Finding{{What: what, OK: true, Text: s.Use}}
}

// checkNames looks for placeholders that nothing fills in, and for what git takes
// for no name.
func checkNames(ctx context.Context, what string, s plug.Spec) []Finding {
	var bad []Finding
	for _, name := range []string{"branch", "dir"} {
		value, err := config.Expand(key(s, name), config.Values{Session: "s", Environment: "s", Inputs: anyInputs(s)})
		if err != nil {
			bad = append(bad, Finding{What: what, Text: fmt.Sprintf("%s: %v", name, err)})
		} else if name == "branch" && value != "" {
			if _, err := git(ctx, "/", "check-ref-format", "--branch", value); err != nil {
				bad = append(bad, Finding{What: what, Text: fmt.Sprintf("branch: %q cannot be the name of a branch", key(s, name))})
			}
		}
	}
	return bad
}

// anyInputs stand for those that a session will bring.
func anyInputs(s plug.Spec) map[string]string {
	inputs := map[string]string{}
	for _, name := range (config.Config{Plugs: []plug.Spec{s}}).Inputs() {
		inputs[name] = name
	}
	return inputs
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
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
