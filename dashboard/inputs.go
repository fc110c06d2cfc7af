package dashboard

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// A choice is an agent that a session may be begun with, and what it declares as
// inputs.
type choice struct {
	Name   blaise.AgentName
	State  string
	Chosen bool
	Inputs []inputField
}

// An inputField is an input of an agent as a field of the page.
type inputField struct {
	blaise.Input
	Field string // its name as it is sent
	Name  string
	Value string
}

// Choices are the values to choose from, none where any text will do.
func (f inputField) Choices() []string {
	if f.Type == "boolean" && len(f.Enum) == 0 {
		return []string{"true", "false"}
	}
	return f.Enum
}

// Needed says that the input must be filled in.
func (f inputField) Needed() bool { return f.Required && f.Default == "" }

// inputPrefix is before the names of an agent's inputs as they are sent: two
// agents may both have one of a name.
func inputPrefix(agent blaise.AgentName) string { return fieldPrefix + string(agent) + "/" }

// choices are the agents with the fields of each, filled with what was sent. One
// is chosen: the one that was asked for, or the first that takes a session.
func (d *dashboard) choices(ctx context.Context, wanted string, sent map[string]string) ([]choice, error) {
	agents, err := d.control.Agents(ctx)
	if err != nil {
		return nil, err
	}
	var list []choice
	chosen := -1
	for i, a := range agents {
		inputs, err := control.Inputs(a)
		if err != nil {
			return nil, err
		}
		list = append(list, choice{Name: a.Name, State: a.State, Inputs: fieldsOf(a.Name, inputs, sent)})
		if string(a.Name) == wanted || wanted == "" && chosen < 0 && a.State != "archived" {
			chosen = i
		}
	}
	if chosen >= 0 {
		list[chosen].Chosen = true
	}
	return list, nil
}

func fieldsOf(agent blaise.AgentName, inputs blaise.Inputs, sent map[string]string) (list []inputField) {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		f := inputField{Input: inputs[name], Field: inputPrefix(agent) + name, Name: name}
		f.Value = firstOf(sent[f.Field], f.Default)
		list = append(list, f)
	}
	return list
}

// sentInputs are the fields of inputs that were sent, whichever agent's.
func sentInputs(r *http.Request) map[string]string {
	sent := map[string]string{}
	for field := range r.PostForm {
		if strings.HasPrefix(field, fieldPrefix) {
			sent[field] = strings.TrimSpace(r.PostForm.Get(field))
		}
	}
	return sent
}

// inputsOf are the inputs of an agent among those that were sent. CodeInvalid
// names the one that is missing.
func (d *dashboard) inputsOf(ctx context.Context, agent blaise.AgentName, sent map[string]string) (map[string]string, error) {
	a, err := d.control.Agent(ctx, agent)
	if err != nil {
		return nil, err
	}
	declared, err := control.Inputs(a)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for field, value := range sent {
		if name, mine := strings.CutPrefix(field, inputPrefix(agent)); mine && value != "" {
			set[name] = value
		}
	}
	if missing := declared.Missing(set); len(missing) > 0 {
		return nil, blaise.Errorf(blaise.CodeInvalid, "agent %s needs the input %q", agent, missing[0]).
			WithHint("fill it in under Inputs: %s", declared[missing[0]].Wants())
	}
	return set, nil
}
