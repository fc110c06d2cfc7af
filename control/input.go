package control

import (
	"encoding/json"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

type inputSpec struct {
	Type        string   `yaml:"type" json:"type,omitempty"`
	Description string   `yaml:"description" json:"description,omitempty"`
	Default     string   `yaml:"default" json:"default,omitempty"`
	Required    bool     `yaml:"required" json:"required,omitempty"`
	Pattern     string   `yaml:"pattern" json:"pattern,omitempty"`
	Enum        []string `yaml:"enum" json:"enum,omitempty"`
}

func (s agentSpec) inputs() blaise.Inputs {
	all := blaise.Inputs{}
	for name, in := range s.Inputs {
		all[name] = blaise.Input(in)
	}
	return all
}

// Inputs are those that an agent declares.
func Inputs(a store.Agent) (blaise.Inputs, error) {
	var doc manifestDoc
	if err := json.Unmarshal(a.Spec, &doc); err != nil {
		return nil, fmt.Errorf("read the inputs of agent %s: %w", a.Name, err)
	}
	return doc.Spec.inputs(), nil
}

// fillInputs are those of a session that is begun with what was set.
func fillInputs(a store.Agent, set map[string]string) (map[string]string, error) {
	declared, err := Inputs(a)
	if err != nil {
		return nil, err
	}
	return declared.Fill(set)
}
