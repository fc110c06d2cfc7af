package blaise

import (
	"strings"
	"time"
)

// Probed is the short result of `runner probe` on the machine of an instance:
// what an agent was seen to do there, whatever it says of itself.
type Probed struct {
	Name    string    `json:"name"`    // the preset, or the program
	Agent   string    `json:"agent"`   // as it names itself
	Version string    `json:"version"` // of the agent
	At      time.Time `json:"at"`
	OK      bool      `json:"ok"`
	Faults  []string  `json:"faults,omitempty"`
	Todo    string    `json:"todo,omitempty"` // what a person must do before it works
}

// Result is what was found, in a few words.
func (p Probed) Result() string {
	switch {
	case p.Todo != "":
		return "to do: " + p.Todo
	case len(p.Faults) > 0:
		return "known faults: " + strings.Join(p.Faults, ", ")
	case !p.OK:
		return "does not work"
	}
	return "works"
}

// Covers says that this agent, in this version, was probed.
func (p Probed) Covers(agent, version string) bool {
	return agent != "" && strings.EqualFold(p.Agent, agent) && p.Version == version
}
