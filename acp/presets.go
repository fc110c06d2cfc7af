package acp

import (
	"maps"
	"slices"
)

// Preset is how to start an agent we know. Facts were measured with the
// versions named in Install, against a fake model and without a network.
type Preset struct {
	Name string
	// Command is the program and its arguments. It is empty for demo: the
	// caller knows the path of its own program.
	Command []string
	// Install is a command, or a hint, for a person.
	Install string
	// Env names variables the agent needs or understands, with a note each.
	Env []EnvNote
	// Notes are what somebody who runs it should know.
	Notes []string
}

// EnvNote is an environment variable and what it is for.
type EnvNote struct{ Name, Note string }

// Presets are the agents known by name. It is read-only.
var Presets = map[string]Preset{
	"demo": {
		Name:    "demo",
		Install: "part of blaise",
		Env: []EnvNote{
			{"BLAISE_DEMO_HOME", "where conversations are stored"},
			{"BLAISE_DEMO_WITNESS", "a file that gets a line for each prompt received"},
			{"BLAISE_DEMO_NOLOAD", "1: do not advertise session/load"},
		},
		Notes: []string{"no model; send it the message: help"},
	},
	"claude": {
		Name:    "claude",
		Command: []string{"claude-agent-acp"},
		Install: "npm install -g @agentclientprotocol/claude-agent-acp@0.101.0 (Node 22)",
		Env: []EnvNote{
			{"ANTHROPIC_API_KEY", "or a login made with claude"},
			{"ANTHROPIC_BASE_URL", "another endpoint of the API"},
			{"CLAUDE_CONFIG_DIR", "default $HOME/.claude"},
		},
		Notes: []string{
			"a session id is durable after its first turn",
			"its default mode approves by itself unless settings.json says otherwise",
			"updates may follow the end of a turn",
		},
	},
	"codex": {
		Name:    "codex",
		Command: []string{"codex-acp"},
		Install: "npm install -g @agentclientprotocol/codex-acp@2.6.0",
		Env: []EnvNote{
			{"OPENAI_API_KEY", "or CODEX_API_KEY, or a login made with codex"},
			{"CODEX_HOME", "default $HOME/.codex"},
			{"NO_BROWSER", "1: never open one"},
			{"INITIAL_AGENT_MODE", "read-only: asks before it writes"},
		},
		Notes: []string{
			"a session id is durable from the first chunk of its first turn",
			"unknown session: -32603 \"no rollout found\"",
			"exits up to 7 s after the end of stdin; children survive a SIGKILL of it",
		},
	},
	"opencode": {
		Name:    "opencode",
		Command: []string{"opencode", "acp"},
		Install: "npm install -g opencode-ai@1.18.33",
		Env: []EnvNote{
			{"OPENCODE_CONFIG_CONTENT", "the configuration as JSON"},
			{"OPENCODE_PERMISSION", "what it asks for; by default it asks for little"},
			{"OPENCODE_PURE", "1: no plugins"},
		},
		Notes: []string{
			"unknown session: -32603 with data {\"service\":\"session\"}",
			"asks for fs/write_text_file even where it was not offered",
		},
	},
	"gemini": {
		Name:    "gemini",
		Command: []string{"gemini", "--acp"},
		Install: "npm install -g @google/gemini-cli@0.61.0",
		Env: []EnvNote{
			{"GEMINI_API_KEY", "the key"},
			{"GOOGLE_GEMINI_BASE_URL", "another endpoint of the API"},
		},
		Notes: []string{
			"replays after the answer to session/load",
			"a session killed in the minute it began cannot be loaded",
			"ignores SIGTERM",
		},
	},
}

// Lookup finds a preset by its name.
func Lookup(name string) (Preset, bool) {
	p, ok := Presets[name]
	return p, ok
}

// Names are the names of all presets, in order.
func Names() []string { return slices.Sorted(maps.Keys(Presets)) }
