package dashboard

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"
)

// A setting is one line of the form of an agent's policy.
type setting struct {
	Path    string // in the spec, with dots
	Label   string
	Help    string
	Default string
	Choices []string // nil for a duration or a number
	Value   string   // "" for the default
}

// settings are what the form holds; all else is in the manifest.
var settings = []setting{
	{Path: "policy.idle.after", Label: "Idle for", Help: "how long after a turn the session waits for a message", Default: "15m"},
	{Path: "policy.idle.then", Label: "then", Help: "what an idle session does", Default: "pause", Choices: []string{"pause", "end"}},
	{Path: "policy.idle.cannotResume", Label: "or, if a plug cannot resume", Help: "what it does then", Default: "end", Choices: []string{"end", "pause"}},
	{Path: "policy.idle.whenOthersWait", Label: "or, if others wait", Help: "how long one that would pause keeps a place at work, or a slot, from them", Default: "1m"},
	{Path: "policy.maxPaused", Label: "Paused at most", Help: "then it ends and its environment is torn down", Default: "7d"},
	{Path: "policy.retain", Label: "Keep after the end", Help: "then the session is deleted, but not work that Blaise alone has", Default: "as Blaise keeps all (serve --retain)"},
	{Path: "policy.connectTimeout", Label: "Connect within", Help: "how long an accepted run may take to connect", Default: "2m"},
	{Path: "policy.silence.warn", Label: "Warn of silence after", Help: "while a turn is open", Default: "10m"},
	{Path: "policy.silence.stalled", Label: "Cancel a silent turn after", Help: "as stalled", Default: "off"},
	{Path: "policy.questions.after", Label: "Questions wait for", Help: "then policy answers", Default: "24h"},
	{Path: "policy.questions.then", Label: "then", Help: "what happens to an unanswered question", Default: "deny", Choices: []string{"deny", "pause"}},
	{Path: "policy.onContextLoss", Label: "If the conversation is lost", Help: "after a resume", Default: "continue", Choices: []string{"continue", "ask", "fail"}},
	{Path: "policy.onInterruptedTurn", Label: "If a turn broke off", Help: "after a lost run", Default: "continue", Choices: []string{"continue", "ask", "fail"}},
	{Path: "concurrency", Label: "At work at once", Help: "so many runs of its sessions; the others wait, people in turn", Default: "off"},
	{Path: "budget.expiresAfter", Label: "Sessions expire after", Help: "from their creation", Default: "off"},
}

// settingsOf are the settings with the values that a manifest gives them.
func settingsOf(manifest string) ([]setting, error) {
	spec, _, err := specOf(manifest)
	if err != nil {
		return nil, err
	}
	list := make([]setting, len(settings))
	for i, s := range settings {
		n := spec
		for _, key := range strings.Split(s.Path, ".") {
			n = under(n, key)
		}
		if n != nil {
			s.Value = n.Value
		}
		list[i] = s
	}
	return list, nil
}

// withSettings is a manifest with what a form says of the settings. A field
// left empty takes its setting out, and so back to the default.
func withSettings(manifest string, form url.Values) (string, error) {
	spec, root, err := specOf(manifest)
	if err != nil {
		return "", err
	}
	for _, s := range settings {
		if values, sent := form[s.Path]; sent {
			put(spec, strings.Split(s.Path, "."), strings.TrimSpace(strings.Join(values, "")))
		}
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return "", fmt.Errorf("write manifest: %w", err)
	}
	return b.String(), nil
}

// specOf reads a manifest that control has written, and finds its spec.
func specOf(manifest string) (spec, root *yaml.Node, err error) {
	root = &yaml.Node{}
	if err := yaml.Unmarshal([]byte(manifest), root); err != nil {
		return nil, nil, fmt.Errorf("read manifest: %w", err)
	}
	if len(root.Content) == 0 {
		return nil, nil, fmt.Errorf("read manifest: it is empty")
	}
	top := root.Content[0]
	if under(top, "spec") == nil {
		top.Content = append(top.Content, key("spec"), &yaml.Node{Kind: yaml.MappingNode})
	}
	return under(top, "spec"), root, nil
}

func key(name string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: name} }

// under is the value of a key, nil if there is none.
func under(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// put sets a value, or takes an empty one out with all that it leaves empty.
func put(n *yaml.Node, path []string, value string) {
	n.Style = 0 // it may have been written as {}
	inner := under(n, path[0])
	if inner == nil {
		if value == "" {
			return
		}
		inner = &yaml.Node{Kind: yaml.MappingNode}
		n.Content = append(n.Content, key(path[0]), inner)
	}
	if len(path) == 1 {
		*inner = *key(value)
	} else {
		put(inner, path[1:], value)
	}
	if value == "" && len(inner.Content) == 0 {
		remove(n, path[0])
	}
}

func remove(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return
		}
	}
}
