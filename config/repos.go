package config

import (
	"fmt"

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

// chosenRepo lets an input that is the whole place of a repository name an
// address, or nothing: who begins a session is not to choose among the
// directories of the runner's machine.
func chosenRepo(raw, filled plug.Spec) error {
	was, is := repoOf(raw), repoOf(filled)
	if was == nil || is == nil || is.Value == "" || plug.ByURL(is.Value) {
		return nil
	}
	if at := inputPlaceholder.FindStringIndex(was.Value); at == nil || at[0] > 0 {
		return nil
	}
	return fmt.Errorf("plug %q: repo: the input says %q, which is no address of a repository: "+
		"give one that runner.repos allows, as https://HOST/PATH", filled.ID, is.Value)
}
