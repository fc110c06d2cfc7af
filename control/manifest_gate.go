package control

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/near"

	"gopkg.in/yaml.v3"
)

type gateRuleSpec struct {
	Tool     wordList `yaml:"tool" json:"tool,omitempty"`
	Name     string   `yaml:"name" json:"name,omitempty"`
	Path     string   `yaml:"path" json:"path,omitempty"`
	Command  string   `yaml:"command" json:"command,omitempty"`
	Compound bool     `yaml:"compound" json:"compound,omitempty"`
	Then     string   `yaml:"then" json:"then"`
}

// A wordList is one word or a list of them.
type wordList []string

func (w *wordList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = wordList{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// gateOf reads the rules of a gate. One that cannot mean what was meant is an
// error: a rule is there to be relied on.
func gateOf(specs []gateRuleSpec) (blaise.Gate, error) {
	var g blaise.Gate
	var bad []error
	for i, s := range specs {
		r := blaise.GateRule{
			Tools: s.Tool, Name: s.Name, Path: s.Path, Command: s.Command, Compound: s.Compound,
			Then: blaise.Ruling(s.Then),
		}
		if why := wrongRule(r); why != "" {
			bad = append(bad, invalid("gate rule %d: %s", i+1, why))
		}
		if n := len(g); n > 0 && g[n-1].Catches() {
			bad = append(bad, invalid("gate rule %d can never match: rule %d matches everything", i+1, n))
		}
		g = append(g, r)
	}
	return g, errors.Join(bad...)
}

func wrongRule(r blaise.GateRule) string {
	rulings := []string{string(blaise.RulingAllow), string(blaise.RulingAsk), string(blaise.RulingDeny)}
	switch {
	case r.Then == "":
		return "then is missing: allow, ask or deny"
	case !slices.Contains(rulings, string(r.Then)):
		return fmt.Sprintf("then: %q is none of %s%s", r.Then, strings.Join(rulings, ", "),
			near.DidYouMean(string(r.Then), rulings))
	case r.Compound && r.Command == "":
		return "compound says how command is matched: there is no command"
	case r.Compound && r.Then != blaise.RulingAllow:
		return "compound is for a rule that allows: any other sees into compound commands by itself"
	case r.Command != "" && len(r.Tools) > 0 && !slices.Contains(r.Tools, blaise.ToolExecute):
		return "command is of the tool execute alone"
	}
	for _, tool := range r.Tools {
		if kinds := blaise.ToolKinds(); !slices.Contains(kinds, tool) {
			return fmt.Sprintf("tool: %q is none of %s%s", tool, strings.Join(kinds, ", "),
				near.DidYouMean(tool, kinds))
		}
	}
	return wrongPath(r.Path)
}

func wrongPath(p string) string {
	switch {
	case strings.HasPrefix(p, "~") || strings.Contains(p, "$"):
		return fmt.Sprintf("path: %q: nothing is filled in; write it whole, as the agent sees it", p)
	case p != "" && path.Clean(p) != p:
		return fmt.Sprintf("path: %q can never match: write %q", p, path.Clean(p))
	case p == ".." || strings.HasPrefix(p, "../"):
		return fmt.Sprintf("path: %q can never match: a path outside the workspace is absolute", p)
	}
	return ""
}

// gateEffects says what another gate changes.
func gateEffects(old, now blaise.Gate) []string {
	if reflect.DeepEqual(old, now) {
		return nil
	}
	return []string{fmt.Sprintf(
		"the gate has %s before the default's; what agents ask from now on is decided by them", blaise.Count(len(now), "rule"))}
}
