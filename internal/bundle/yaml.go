package bundle

import (
	"os"
	"path"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/onedoc"

	"gopkg.in/yaml.v3"
)

// YAML adds a blaise.yml in its shape: its keys, its numbers and booleans, and
// the values that shown lists; no comment and no other value. One that cannot be
// read as one document of YAML is left out: nobody could say what is secret in it.
func (b *Bundle) YAML(name, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var doc yaml.Node
	if onedoc.Check(text) != nil || yaml.Unmarshal(text, &doc) != nil {
		b.hideParts(string(text))
		b.Text(name, "# It is not one document of YAML, and left out.\n")
		return
	}
	b.hide(&doc, place{})
	out, err := yaml.Marshal(&doc)
	if err != nil {
		b.failed(name, err)
		return
	}
	b.Text(name, string(out))
}

// shown are the places of texts that are no secrets and say how a runner is set
// up: keys joined by slashes, lists left out, and * for any key.
var shown = strings.Fields(`
	dir agent/use agent/env/*/from
	agent/mcpServers/name agent/mcpServers/type agent/mcpServers/env/name agent/mcpServers/headers/name
	plugs/use plugs/id plugs/dir plugs/repo plugs/base plugs/branch plugs/path plugs/reach plugs/key
	plugs/driver plugs/network plugs/network/allow plugs/home plugs/read plugs/write plugs/require plugs/login
	plugs/image plugs/dockerfile plugs/context plugs/user plugs/workdir plugs/memory plugs/runtime plugs/engine
	plugs/mounts plugs/capDrop plugs/shim plugs/files plugs/env plugs/env/*/env plugs/files/*/env
	runner/labels/* runner/repos`)

// A place is where a value stands.
type place struct {
	path string // as shown has it
	// secret says that what is here is likely to be a secret: it goes by such a
	// name, or comes after such a flag.
	secret bool
	// item says that it is one of a list, where a number may be a password.
	item bool
}

func (p place) of(key string) place {
	return place{
		path:   path.Join(p.path, strings.ReplaceAll(key, "/", "_")),
		secret: p.secret || key == "env" || secretName(key),
	}
}

func (p place) shown() bool {
	return slices.ContainsFunc(shown, func(pattern string) bool {
		match, _ := path.Match(pattern, p.path) // the patterns are good
		return match
	})
}

// hide goes through a node.
func (b *Bundle) hide(n *yaml.Node, at place) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	switch n.Kind {
	case yaml.MappingNode:
		n.Tag = ""
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			b.hide(value, at.of(key.Value))
			if key.Kind != yaml.ScalarNode || !plain(key.Value) {
				b.hide(key, at)
			}
			key.HeadComment, key.LineComment, key.FootComment = "", "", ""
		}
	case yaml.SequenceNode:
		n.Tag = ""
		for i, c := range n.Content {
			after := i > 0 && strings.HasPrefix(n.Content[i-1].Value, "-") && secretName(n.Content[i-1].Value)
			b.hide(c, place{path: at.path, secret: at.secret || after, item: true})
		}
	case yaml.ScalarNode:
		b.hideText(n, at)
	default:
		for _, c := range n.Content {
			b.hide(c, at)
		}
	}
}

func (b *Bundle) hideText(n *yaml.Node, at place) {
	switch kind(n) {
	case "!!bool", "!!null":
		return
	case "!!int", "!!float":
		if !at.secret && !at.item {
			return
		}
	}
	if at.shown() && plain(n.Value) {
		return
	}
	if at.secret {
		b.Hide(n.Value)
	}
	b.hideParts(n.Value)
	n.Value, n.Tag, n.Style = "(hidden)", "!!str", 0
}

// kind is the tag of a node, unless its text is something else.
func kind(n *yaml.Node) string {
	is := (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag()
	if n.ShortTag() != is {
		return ""
	}
	return is
}

// plain says that a text has no place for a password: it is no URL with a user
// or a query, and sets nothing.
func plain(text string) bool {
	text, _, _ = strings.Cut(text, "@sha256:") // the digest of an image
	if at := strings.LastIndexByte(text, '@'); at >= 0 && strings.Contains(text[:at], ":") {
		return false
	}
	return !strings.ContainsAny(text, "?#=\n")
}
