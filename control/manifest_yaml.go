package control

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// ManifestYAML is an agent's spec as a person would write it: keys in the order
// of the spec, nothing quoted that need not be.
func ManifestYAML(spec []byte) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(spec, &root); err != nil {
		return "", fmt.Errorf("read manifest: %w", err)
	}
	plain(&root)
	text, err := yaml.Marshal(&root)
	if err != nil {
		return "", fmt.Errorf("write manifest: %w", err)
	}
	return string(text), nil
}

// plain takes from a node the way JSON writes it.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		plain(inner)
	}
}
