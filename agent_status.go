package blaise

import (
	"fmt"
	"slices"
	"strings"
)

// An AgentStatus is what the agent last said of its session: what can be
// chosen in it, which commands it takes, how far its plan is. It is shown to
// people and decides nothing.
type AgentStatus struct {
	Settings []Setting  `json:"settings,omitempty"`
	Commands []Command  `json:"commands,omitempty"`
	Plan     []PlanStep `json:"plan,omitempty"`
	// ContextUsed is how many tokens of its context are used, of ContextSize;
	// 0 where the agent does not tell.
	ContextUsed int64 `json:"contextUsed,omitempty"`
	ContextSize int64 `json:"contextSize,omitempty"`
}

// A Setting is something that can be chosen in a session: its mode, its model,
// or an option of the agent's own.
type Setting struct {
	ID       string   `json:"id"` // "mode", "model", or the agent's own name for it
	Name     string   `json:"name,omitempty"`
	Category string   `json:"category,omitempty"`
	Value    string   `json:"value"` // what is chosen now
	Boolean  bool     `json:"boolean,omitempty"`
	Choices  []Choice `json:"choices,omitempty"` // none: anything can be chosen
}

// A Choice is one value of a Setting.
type Choice struct {
	Value string `json:"value"`
	Name  string `json:"name,omitempty"`
}

// A Command is a slash command that the agent takes at the start of a message.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Hint        string `json:"hint,omitempty"` // what may follow it
}

// A PlanStep is one step of the agent's plan.
type PlanStep struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress, completed, or the agent's own word
}

// Done says how many steps of the plan are completed.
func (s AgentStatus) Done() int {
	n := 0
	for _, p := range s.Plan {
		if p.Status == "completed" {
			n++
		}
	}
	return n
}

// Choose gives the value of a setting that a person means by value, which may
// be its name. CodeInvalid says what there is.
func (s AgentStatus) Choose(id, value string) (string, error) {
	i := slices.IndexFunc(s.Settings, func(x Setting) bool { return x.ID == id })
	if i < 0 {
		return "", Errorf(CodeInvalid, "the agent has no setting %q", id).
			WithHint("it has: %s", strings.Join(s.ids(), ", "))
	}
	one := s.Settings[i]
	for _, c := range one.Choices {
		if c.Value == value {
			return value, nil
		}
	}
	for _, c := range one.Choices {
		if strings.EqualFold(c.Name, value) {
			return c.Value, nil
		}
	}
	if len(one.Choices) == 0 {
		return value, nil
	}
	return "", Errorf(CodeInvalid, "the agent offers no %s %q", id, value).
		WithHint("it offers: %s", strings.Join(one.offers(), ", "))
}

func (s AgentStatus) ids() []string {
	var ids []string
	for _, x := range s.Settings {
		ids = append(ids, x.ID)
	}
	if len(ids) == 0 {
		return []string{"none"}
	}
	return ids
}

func (s Setting) offers() []string {
	var all []string
	for _, c := range s.Choices {
		text := c.Value
		if c.Name != "" && c.Name != c.Value {
			text = fmt.Sprintf("%s (%s)", c.Value, c.Name)
		}
		all = append(all, text)
	}
	return all
}
