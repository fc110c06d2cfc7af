package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"blaise.dev/blaise/plug"

	"gopkg.in/yaml.v3"
)

var inputPlaceholder = regexp.MustCompile(`\{input\.[A-Za-z][A-Za-z0-9_-]*\}`)

// Inputs are the inputs that the file wants, in the order in which they stand.
func (c Config) Inputs() []string {
	var names []string
	see := func(text string) {
		for _, p := range inputPlaceholder.FindAllString(text, -1) {
			if name := p[len("{input.") : len(p)-1]; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, arg := range c.Agent.Command {
		see(arg)
	}
	for _, key := range slices.Sorted(maps.Keys(c.Agent.Env)) {
		see(c.Agent.Env[key].Value)
	}
	for i := range c.Plugs {
		scalars(&c.Plugs[i].Config, func(n *yaml.Node) { see(n.Value) })
	}
	return names
}

// Fill puts the inputs of a session where the file says {input.NAME}: in the
// keys of plugs, in the agent's command and variables. It is done on values
// that were read already, so that an input is a value and never more: no key,
// no list, no second placeholder. Its errors are an *InputError each: an input
// that the session does not have, and one that says what it may not.
func (c Config) Fill(inputs map[string]string) (Config, error) {
	for _, name := range c.Inputs() {
		if _, ok := inputs[name]; !ok {
			return Config{}, &InputError{fmt.Errorf("blaise.yml wants {input.%s}, which the session does not have: "+
				"declare it under inputs in the agent's manifest", name)}
		}
	}
	fill := func(text string) string {
		return inputPlaceholder.ReplaceAllStringFunc(text, func(p string) string {
			return inputs[p[len("{input."):len(p)-1]]
		})
	}
	c.Agent.Command = slices.Clone(c.Agent.Command)
	for i, arg := range c.Agent.Command {
		c.Agent.Command[i] = fill(arg)
	}
	c.Agent.Env = maps.Clone(c.Agent.Env)
	for key, v := range c.Agent.Env {
		v.Value = fill(v.Value)
		c.Agent.Env[key] = v
	}
	c.Plugs = slices.Clone(c.Plugs)
	for i := range c.Plugs {
		raw := c.Plugs[i]
		c.Plugs[i] = filled(raw, fill)
		if err := chosenRepo(raw, c.Plugs[i]); err != nil {
			return Config{}, &InputError{err}
		}
	}
	return c, nil
}

// TakesInput says that an input goes into the plug of that id, in a file that
// was not filled in yet.
func (c Config) TakesInput(id string) bool {
	for _, s := range c.Plugs {
		if s.ID == id && len(Config{Plugs: []plug.Spec{s}}.Inputs()) > 0 {
			return true
		}
	}
	return false
}

// An InputError is an input of a session that does not fit. The file is not at
// fault.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// filled is a copy of s with its values filled in.
func filled(s plug.Spec, fill func(string) string) plug.Spec {
	s.Config = *copyNode(&s.Config, maxDepth)
	scalars(&s.Config, func(n *yaml.Node) {
		if text := fill(n.Value); text != n.Value {
			n.Value, n.Tag, n.Style = text, "!!str", yaml.DoubleQuotedStyle
		}
	})
	return s
}

// scalars calls do for every value in n, but for the keys of mappings.
func scalars(n *yaml.Node, do func(*yaml.Node)) {
	switch n.Kind {
	case yaml.ScalarNode:
		do(n)
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			scalars(n.Content[i], do)
		}
	case yaml.SequenceNode, yaml.DocumentNode:
		for _, child := range n.Content {
			scalars(child, do)
		}
	}
}

// maxDepth is how far down values are filled in: an alias may lead to where it
// stands itself.
const maxDepth = 20

// copyNode copies the tree, with aliases followed: what one place is filled
// with must not show in another.
func copyNode(n *yaml.Node, depth int) *yaml.Node {
	for range maxDepth {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
	}
	c := *n
	c.Anchor, c.Content = "", make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		if c.Content[i] = child; depth > 0 {
			c.Content[i] = copyNode(child, depth-1)
		}
	}
	return &c
}
