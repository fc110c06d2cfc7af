package main

import (
	"cmp"
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
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/internal/onedoc"

	"gopkg.in/yaml.v3"
)

// repoDefault is the agent that `blaise start` takes when none is named: the one
// that dev was told, else what the repository's own blaise.yml says.
const repoDefault = "default"

// devAgents are the agents that `blaise dev` offers, and how each starts.
type devAgents struct {
	repo   string // the repository
	remark string // said beside it
	own    string // the repository's blaise.yml, "" for none
	first  string // the agent of sessions that name one of no file
	told   bool   // first was named by who started dev
	names  []string
}

// findAgents finds the repository and the agents that are installed.
func findAgents(ctx context.Context, o devOptions) (devAgents, error) {
	d := devAgents{first: cmp.Or(o.agent, "demo"), told: o.agent != ""}
	if err := d.findRepo(ctx, o); err != nil {
		return d, err
	}
	if own := filepath.Join(d.repo, "blaise.yml"); isFile(own) {
		d.own = own
	}
	if o.agent != "" {
		if _, ok := acp.Lookup(o.agent); !ok {
			return d, usage("no agent is called %q", o.agent).
				WithHint("one of %s; for another, write a blaise.yml with agent.command", strings.Join(acp.Names(), ", "))
		}
	}
	for _, name := range acp.Names() {
		preset, _ := acp.Lookup(name)
		if name == "demo" || installed(preset) {
			d.names = append(d.names, name)
			continue
		}
		if name == o.agent {
			return d, usage("agent %s: %s is not on PATH", name, preset.Command[0]).
				WithHint("%s", preset.Install)
		}
	}
	if d.own != "" || d.told {
		d.names = append(d.names, repoDefault)
	}
	// The one to try first stands first.
	slices.SortStableFunc(d.names, func(a, b string) int {
		return rank(a, d) - rank(b, d)
	})
	return d, nil
}

func rank(name string, d devAgents) int {
	switch name {
	case repoDefault:
		return 0
	case d.first:
		return 1
	}
	return 2
}

func installed(p acp.Preset) bool {
	if len(p.Command) == 0 {
		return false
	}
	_, err := exec.LookPath(p.Command[0])
	return err == nil
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// findRepo finds the repository to work on. Where none was named and there is
// none around, one is made in the data folder, to play with.
func (d *devAgents) findRepo(ctx context.Context, o devOptions) error {
	dir := cmp.Or(o.repo, ".")
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	r, err := git.Open(ctx, dir)
	if err != nil && o.repo == "" && errors.Is(err, git.ErrNotRepository) {
		d.repo = filepath.Join(o.data, "playground")
		d.remark = " (made to play with; name yours with --repo)"
		return makePlayground(ctx, d.repo)
	}
	if errors.Is(err, git.ErrNotRepository) {
		return usage("%s is not a git repository", dir).WithHint("name one with --repo, or run git init there")
	}
	if err != nil {
		return err
	}
	if _, err := r.Resolve(ctx, "HEAD"); err != nil {
		return usage("repository %s has no commit yet", r.Dir).
			WithHint("make one: git -C %s commit --allow-empty -m first", r.Dir)
	}
	d.repo = r.Dir
	return nil
}

func makePlayground(ctx context.Context, dir string) error {
	if isFile(filepath.Join(dir, ".git", "HEAD")) {
		return nil
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", dir},
		{"-C", dir, "-c", "user.name=Blaise", "-c", "user.email=blaise@localhost",
			"commit", "-q", "--allow-empty", "-m", "A place to play"},
	} {
		out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("make a repository to play with: %w: %s", err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// config is the blaise.yml for an agent. An agent that was applied by a person
// and has no file of its own starts what the repository says, else the first.
func (d devAgents) config(data string, name blaise.AgentName) string {
	path := configPath(data, string(name))
	switch {
	case string(name) != repoDefault && isFile(path):
		return path
	case d.own != "" && !d.told:
		return d.own
	}
	return configPath(data, d.first)
}

// configs are all that config may answer.
func (d devAgents) configs(data string) []string {
	files := []string{d.config(data, "")}
	for _, name := range d.names {
		if file := d.config(data, blaise.AgentName(name)); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

func configPath(data, name string) string { return filepath.Join(data, "agents", name+".yml") }

func (d devAgents) describe() daemon.Description {
	return daemon.Description{Slots: d.slots(), Agents: d.names}
}

// apply makes the agents known to Blaise. One that is there stays as it is: a
// person may have changed its policy.
func (d devAgents) apply(ctx context.Context, c *control.Control) error {
	for _, name := range d.names {
		_, err := c.Agent(ctx, blaise.AgentName(name))
		if err == nil {
			continue
		}
		if blaise.CodeOf(err) != blaise.CodeNotFound {
			return err
		}
		spec := "{}"
		if name == "demo" { // it is there to be tried: its questions too
			spec = "{gate: [{then: ask}]}"
		}
		m, err := control.ParseManifest(fmt.Appendf(nil,
			"apiVersion: %s\nkind: Agent\nmetadata: {name: %s}\nspec: %s\n", control.APIVersion, name, spec))
		if err != nil {
			return err
		}
		if _, err := c.ApplyAgent(ctx, control.AuthorDev, m, false); err != nil {
			return err
		}
	}
	return nil
}

// write makes a blaise.yml for each agent: the repository's own with another
// agent in it, or a worktree of the repository. A file that lost its first
// line is a person's and stays.
func (d devAgents) write(data string) error {
	for _, name := range d.names {
		if name == repoDefault {
			continue
		}
		path := configPath(data, name)
		old, err := os.ReadFile(path)
		if err == nil && !strings.HasPrefix(string(old), generated) {
			continue
		}
		doc, err := d.document(name)
		if err != nil {
			return err
		}
		if err := writePrivate(path, append([]byte(generated), doc...)); err != nil {
			return err
		}
	}
	return nil
}

const generated = "# Written by `blaise dev` at every start. To keep your changes, remove this line.\n"

func (d devAgents) document(name string) ([]byte, error) {
	if d.own == "" {
		return yaml.Marshal(map[string]any{
			"version": 1,
			"agent":   map[string]any{"use": name},
			"plugs":   []any{map[string]any{"use": "worktree", "id": "src", "repo": d.repo}},
		})
	}
	b, err := os.ReadFile(d.own)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if onedoc.Check(b) != nil || yaml.Unmarshal(b, &doc) != nil || doc == nil {
		return b, nil // what is wrong with it is said, with line and column, when a run reads it
	}
	doc["agent"] = map[string]any{"use": name}
	dir, _ := doc["dir"].(string)
	doc["dir"] = config.Config{Dir: dir}.Base(d.own) // the document moves elsewhere
	return yaml.Marshal(doc)
}
