package config

import (
	"fmt"
	"strings"

	"blaise.dev/blaise/plug"

	"gopkg.in/yaml.v3"
)

func (c *checker) repos(n *yaml.Node) []string {
	var all []string
	for _, e := range c.list(n, "runner.repos", `["https://git.example.com/team/*"]`) {
		e = resolve(e)
		pattern := c.str(e, "runner.repos")
		if err := plug.CheckRepoPattern(pattern); err != nil && e.Kind == yaml.ScalarNode {
			c.problem(e, "runner.repos: %v", err)
		}
		all = append(all, pattern)
	}
	return all
}

// allowed wants what the file itself names by URL among what it allows: whoever
// changes the one sees the other.
func (c *checker) allowed(cfg Config) {
	for _, s := range cfg.Plugs {
		n := repoOf(s)
		if n == nil || !plug.ByURL(n.Value) || inputPlaceholder.MatchString(n.Value) ||
			plug.CheckRepoPattern(n.Value) != nil { // the plug says so
			continue
		}
		if err := plug.AllowedRepo(n.Value, cfg.Runner.Repos); err != nil && !c.known(n.Line, n.Column) {
			c.problem(n, "plug %q: repo: %v", s.ID, err)
		}
	}
}

func repoOf(s plug.Spec) *yaml.Node {
	for i := 0; i+1 < len(s.Config.Content); i += 2 {
		if n := resolve(s.Config.Content[i+1]); s.Config.Content[i].Value == "repo" && n.Kind == yaml.ScalarNode {
			return n
		}
	}
	return nil
}

// chosenRepo lets an input that is the whole place of a repository, or part of
// an address, make an address of it, or nothing: who begins a session is not to
// choose among the directories of the runner's machine. Part of a directory's
// name leads no further up than blaise.yml does.
func chosenRepo(raw, filled plug.Spec) error {
	was, is := repoOf(raw), repoOf(filled)
	if was == nil || is == nil || is.Value == "" {
		return nil
	}
	at := inputPlaceholder.FindStringIndex(was.Value)
	switch {
	case at == nil:
	case plug.ByURL(is.Value):
		if err := plug.CheckRepo(is.Value); err != nil {
			return fmt.Errorf("plug %q: repo, with the input: %w", filled.ID, err)
		}
	case at[0] == 0 || plug.ByURL(was.Value):
		return fmt.Errorf("plug %q: repo: the input says %q, which is no address of a repository: "+
			"give one that runner.repos allows, as https://HOST/PATH", filled.ID, plug.ShownRepo(is.Value))
	case ups(is.Value) > ups(was.Value):
		return fmt.Errorf("plug %q: repo: the input leads up to %q: give a name below %q", filled.ID, is.Value, was.Value[:at[0]])
	}
	return nil
}

// ups counts the names in a path that lead up.
func ups(path string) (n int) {
	for name := range strings.SplitSeq(path, "/") {
		if name == ".." {
			n++
		}
	}
	return n
}
