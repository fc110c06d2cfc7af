package config

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema is the JSON schema of blaise.yml, for editors. The keys of the plugs
// are not in it: `runner plugs` tells them.
func Schema() []byte { return slices.Clone(schema) }
