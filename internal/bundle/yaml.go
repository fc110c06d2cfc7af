package bundle

import (
	"os"

	"gopkg.in/yaml.v3"
)

// YAML adds a configuration without its comments, and without the values of
// variables and of keys whose names speak of secrets. One that cannot be read as
// YAML is left out: nobody could say what is secret in it.
func (b *Bundle) YAML(name, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		b.Text(name, "# It is no YAML, and left out.\n")
		return
	}
	b.hide(&doc, false)
	out, err := yaml.Marshal(&doc)
	if err != nil {
		b.failed(name, err)
		return
	}
	b.Text(name, string(out))
}

// hide goes through a node; all says that each value in it is hidden.
func (b *Bundle) hide(n *yaml.Node, all bool) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			b.hide(key, false)
			// from names a variable, and is what one wants to see.
			b.hide(value, key.Value != "from" && (all || key.Value == "env" || secretName(key.Value)))
		}
	case yaml.ScalarNode:
		if all {
			b.Hide(n.Value)
			n.Value, n.Tag, n.Style = "(hidden)", "!!str", 0
		}
	default:
		for _, c := range n.Content {
			b.hide(c, all)
		}
	}
}
