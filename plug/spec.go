package plug

import (
	"fmt"
	"regexp"
	"slices"

	"gopkg.in/yaml.v3"
)

// A Spec is one entry of plugs in blaise.yml: which plug, under which id, with
// which keys. It remembers where it stood, for errors.
type Spec struct {
	Use    string
	ID     string    // defaults to Use
	Config yaml.Node // the mapping, use and id included; zero means no keys
}

// NewSpec makes a spec from Go values, as tests and built-in defaults do. It
// panics if keys cannot be written as YAML.
func NewSpec(use, id string, keys map[string]any) Spec {
	all := map[string]any{"use": use}
	for k, v := range keys {
		all[k] = v
	}
	if id != "" {
		all["id"] = id
	}
	var s Spec
	b, err := yaml.Marshal(all)
	if err == nil {
		err = yaml.Unmarshal(b, &s)
	}
	if err != nil {
		panic("plug: " + err.Error())
	}
	return s
}

// ParseSpec reads what Bytes wrote.
func ParseSpec(b []byte) (Spec, error) {
	var s Spec
	if err := yaml.Unmarshal(b, &s); err != nil {
		return Spec{}, fmt.Errorf("read recorded plug: %w", err)
	}
	return s, nil
}

// Bytes is the spec as it is recorded in Blaise, so that an environment can be
// destroyed without the file it came from.
func (s Spec) Bytes() []byte {
	n := s.Config
	if n.Kind == 0 {
		n = yaml.Node{Kind: yaml.MappingNode}
	}
	n.Content = slices.Clone(n.Content)
	setKey(&n, "use", s.Use)
	setKey(&n, "id", s.ID)
	b, err := yaml.Marshal(&n)
	if err != nil {
		panic("plug: " + err.Error()) // a node that was read can be written
	}
	return b
}

func setKey(n *yaml.Node, key, value string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return
		}
	}
	n.Content = append(n.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key},
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value})
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// UnmarshalYAML reads one entry; what is wrong is a *ConfigError.
func (s *Spec) UnmarshalYAML(n *yaml.Node) error {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return errorAt(n, "a plug is a mapping: {use: NAME, ...}")
	}
	*s = Spec{Config: *n}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		var to *string
		switch key.Value {
		case "use":
			to = &s.Use
		case "id":
			to = &s.ID
		default:
			continue
		}
		if value.Kind != yaml.ScalarNode || value.Value == "" {
			return errorAt(value, "%s: want a name", key.Value)
		}
		*to = value.Value
		if key.Value == "id" && !idPattern.MatchString(value.Value) {
			return errorAt(value, "id %q: want letters, digits, - and _, 32 at most", value.Value)
		}
	}
	if s.Use == "" {
		return errorAt(n, "use is missing: which plug? known plugs: %s", known())
	}
	if s.ID == "" {
		s.ID = s.Use
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode || n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
			continue
		}
		n = n.Content[0]
	}
	return n
}
