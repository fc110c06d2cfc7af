package blaise

import (
	"fmt"
	"slices"
	"strings"
)

// A Gate says what becomes of what an agent asks to do (B4). The first rule that
// matches decides; where none does, [DefaultGate] goes on.
type Gate []GateRule

// A GateRule decides about the actions that match all that it names. A rule that
// allows matches an action only as a whole: every path of it, and a command that
// is one command. A rule that denies or asks matches it by any part.
type GateRule struct {
	Tools    []string `json:"tools,omitempty"`    // of ToolKinds
	Name     string   `json:"name,omitempty"`     // pattern of the tool's name
	Path     string   `json:"path,omitempty"`     // PathInside, PathOutside or a pattern
	Command  string   `json:"command,omitempty"`  // pattern
	Compound bool     `json:"compound,omitempty"` // Command may also match several commands in one
	Then     Ruling   `json:"then"`
}

// The words that a rule's Path may be instead of a pattern.
const (
	PathInside  = "inside"
	PathOutside = "outside"
)

// A Ruling is what a gate does with what an agent asks.
type Ruling string

// The rulings.
const (
	RulingAllow Ruling = "allow"
	RulingAsk   Ruling = "ask"
	RulingDeny  Ruling = "deny"
)

// The kinds of tools, as the Agent Client Protocol has them.
const (
	ToolRead    = "read"
	ToolEdit    = "edit"
	ToolDelete  = "delete"
	ToolMove    = "move"
	ToolSearch  = "search"
	ToolExecute = "execute"
	ToolThink   = "think"
	ToolFetch   = "fetch"
	ToolMode    = "switch_mode"
	ToolOther   = "other"
)

// ToolKinds lists the kinds of tools. What an agent calls anything else is of
// the kind other.
func ToolKinds() []string {
	return []string{
		ToolRead, ToolEdit, ToolDelete, ToolMove, ToolSearch, ToolExecute, ToolThink, ToolFetch,
		ToolMode, ToolOther,
	}
}

// DefaultGate lets an agent read and think, and write inside its workspace. It
// asks for everything else: writes outside, commands, the network, and what it
// does not know.
func DefaultGate() Gate {
	return Gate{
		{Tools: []string{ToolRead, ToolSearch, ToolThink}, Then: RulingAllow},
		{Tools: []string{ToolEdit, ToolDelete, ToolMove}, Path: PathInside, Then: RulingAllow},
		{Then: RulingAsk},
	}
}

// An Action is what an agent asks to do, as far as its words tell. An agent may
// lie: what it can do is the sandbox's matter.
type Action struct {
	Tool    string       `json:"tool"` // of ToolKinds
	Name    string       `json:"name,omitempty"`
	Paths   []ActionPath `json:"paths,omitempty"`
	Command string       `json:"command,omitempty"`
}

// An ActionPath is a file that an action touches: relative to the workspace if it
// is inside, else absolute.
type ActionPath struct {
	Said string `json:"said"` // as the agent wrote it, cleaned
	// Real is where its links lead, looked up where the agent works; "" if that
	// could not be told.
	Real string `json:"real,omitempty"`
}

// A Decided is what a gate says of an action, and by which rule.
type Decided struct {
	Then Ruling `json:"then"`
	Rule string `json:"rule"` // in words
	N    int    `json:"n"`    // of the gate, from 1; 0 for one of the default's
}

// Decide finds the rule for a. It always finds one.
func (g Gate) Decide(a Action) Decided {
	for i, r := range g {
		if r.matches(a) {
			return Decided{Then: r.Then, Rule: fmt.Sprintf("gate rule %d: %s", i+1, r), N: i + 1}
		}
	}
	for _, r := range DefaultGate() {
		if r.matches(a) {
			return Decided{Then: r.Then, Rule: "default gate: " + r.String()}
		}
	}
	return Decided{Then: RulingAsk, Rule: "default gate"}
}

// Catches says that the rule matches everything: none behind it can.
func (r GateRule) Catches() bool {
	return len(r.Tools) == 0 && r.Name == "" && r.Path == "" && r.Command == ""
}

// String is the rule in words.
func (r GateRule) String() string {
	var parts []string
	if len(r.Tools) > 0 {
		parts = append(parts, strings.Join(r.Tools, ", "))
	}
	for _, p := range [][2]string{{"name", r.Name}, {"path", r.Path}, {"command", r.Command}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	if len(parts) == 0 {
		parts = []string{"everything else"}
	}
	return strings.Join(parts, "; ") + ": " + string(r.Then)
}

func (r GateRule) matches(a Action) bool {
	if len(r.Tools) > 0 && !slices.Contains(r.Tools, a.Tool) {
		return false
	}
	if r.Name != "" && !wild(r.Name, a.Name) {
		return false
	}
	return r.matchesPaths(a) && r.matchesCommand(a)
}
