package acp

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
		Say: "echo %s", Recall: "recall", Long: "sleep 600",
		Notes: []string{"no model; send it the message: help"},
	},
	"claude": {
		Name:    "claude",
		Command: []string{"claude-agent-acp"},
		Install: "npm install -g @agentclientprotocol/claude-agent-acp@0.101.0 (Node 22)",
		Login:   "claude /login",
		Set: []EnvNote{
			{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"}, {"DISABLE_AUTOUPDATER", "1"},
		},
		Env: []EnvNote{
			{"ANTHROPIC_API_KEY", "or a login made with claude"},
			{"ANTHROPIC_BASE_URL", "another endpoint of the API"},
			{"CLAUDE_CONFIG_DIR", "default $HOME/.claude"},
		},
		Keys: []string{"ANTHROPIC_API_KEY"},
		Notes: []string{
			"a session id is durable after its first turn",
			`asks only with {"permissions":{"defaultMode":"default"}} in its settings.json, or the mode default`,
			"updates may follow the end of a turn",
		},
	},
	"codex": {
		Name:    "codex",
		Command: []string{"codex-acp"},
		Install: "npm install -g @agentclientprotocol/codex-acp@2.6.0",
		Login:   "codex login",
		Auth:    []string{"api-key", "codex-api-key", "openai-api-key"},
		Set:     []EnvNote{{"NO_BROWSER", "1"}},
		Env: []EnvNote{
			{"OPENAI_API_KEY", "or CODEX_API_KEY, or a login made with codex"},
			{"CODEX_HOME", "default $HOME/.codex"},
			{"INITIAL_AGENT_MODE", "read-only: asks before it writes"},
		},
		Keys: []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
		Notes: []string{
			"a session id is durable from the first chunk of its first turn",
			"unknown session: -32603 \"no rollout found\"",
			"exits 7 s after the end of stdin; children survive a SIGKILL of it",
		},
	},
	"opencode": {
		Name:    "opencode",
		Command: []string{"opencode", "acp"},
		Install: "npm install -g opencode-ai@1.18.33",
		Login:   "opencode auth login",
		Set:     []EnvNote{{"OPENCODE_DISABLE_AUTOUPDATE", "1"}},
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
		Login:   "gemini (and choose a way to sign in)",
		Auth:    []string{"gemini-api-key", "vertex-ai", "gateway"},
		Env: []EnvNote{
			{"GEMINI_API_KEY", "the key"},
			{"GOOGLE_GEMINI_BASE_URL", "another endpoint of the API"},
		},
		Keys: []string{"GEMINI_API_KEY"},
		Notes: []string{
			"replays after the answer to session/load",
			"a session loaded in the minute it began is destroyed: Blaise waits for the next",
			"at its start it deletes a session that was loaded before, unless .gemini/settings.json says " +
				"{\"general\": {\"sessionRetention\": {\"enabled\": false}}}",
			"ignores SIGTERM",
		},
	},
	"copilot": {
		Name:    "copilot",
		Command: []string{"copilot", "--acp"},
		Install: "npm install -g @github/copilot@1.0.102",
		Login:   "copilot (and /login)",
		Env: []EnvNote{
			{"GH_TOKEN", "or COPILOT_GITHUB_TOKEN, or a login made with copilot"},
			{"COPILOT_PROVIDER_BASE_URL", "another model, with COPILOT_MODEL and COPILOT_PROVIDER_API_KEY"},
		},
		Keys: []string{"GH_TOKEN", "COPILOT_GITHUB_TOKEN"},
		Notes: []string{
			"MCP servers: http and sse only, stdio ones are not started",
			"the ids of its modes are URLs",
		},
	},
	"qwen": {
		Name:    "qwen",
		Command: []string{"qwen", "--acp", "--approval-mode", "default"},
		Install: "npm install -g @qwen-code/qwen-code@0.24.4 (Node 22)",
		Login:   "qwen (and /auth)",
		Auth:    []string{"openai"},
		Env: []EnvNote{
			{"OPENAI_API_KEY", "the key"}, {"OPENAI_BASE_URL", "the endpoint"}, {"OPENAI_MODEL", "the model"},
		},
		Keys:  []string{"OPENAI_API_KEY"},
		Notes: []string{"without --approval-mode default it approves by itself"},
	},
	"cline": {
		Name:    "cline",
		Command: []string{"cline", "--acp", "--auto-approve", "false"},
		Install: "npm install -g cline@3.0.65",
		Login:   "cline auth",
		Env: []EnvNote{
			{"CLINE_API_KEY", "or a login made with cline auth"},
			{"CLINE_PROVIDER", "e.g. openai-compatible"}, {"CLINE_MODEL", "the model"},
		},
		Keys: []string{"CLINE_API_KEY"},
		Notes: []string{
			"leaves a daemon of its own running, which Blaise ends with the run",
			"a prompt that was killed is gone from the conversation: it is sent again",
		},
	},
	"kilo": {
		Name:    "kilo",
		Command: []string{"kilo", "acp"},
		Install: "npm install -g @kilocode/cli@7.7.7 (7.8.1 cannot be installed)",
		Login:   "kilo auth login",
		Env:     []EnvNote{{"KILO_CONFIG_CONTENT", "the configuration as JSON"}},
		Notes:   []string{"asks for a permission before it tells of the tool call"},
	},
	"pi": {
		Name:    "pi",
		Command: []string{"pi-acp"},
		Install: "npm install -g pi-acp@0.0.34 @earendil-works/pi-coding-agent@1.6.0 (Node 22.19)",
		Login:   "pi (and /login)",
		Set:     []EnvNote{{"PI_SKIP_VERSION_CHECK", "1"}},
		Env:     []EnvNote{{"PI_OFFLINE", "1: no network but the model's"}},
		Notes: []string{
			"never asks for permission: give it a sandbox",
			"starts pi from PATH; a pi older than 1 hangs",
		},
	},
	"goose": {
		Name: "goose", Command: []string{"goose", "acp"},
		Install: "see https://block.github.io/goose (1.47)",
		Login:   "goose configure",
		Env:     []EnvNote{{"GOOSE_PROVIDER", "the provider, with its key"}, {"GOOSE_MODEL", "the model"}},
		Notes:   []string{"not measured: run `runner probe goose`"},
	},
	"cursor": {
		Name: "cursor", Command: []string{"cursor-agent", "acp"},
		Install: "see https://cursor.com/cli",
		Login:   "cursor-agent login",
		Env:     []EnvNote{{"CURSOR_API_KEY", "or a login made with cursor-agent"}},
		Keys:    []string{"CURSOR_API_KEY"},
		Notes: []string{
			"not measured: run `runner probe cursor`",
			"the turn that was interrupted is not in its replay; ids of tool calls change in it",
		},
	},
	"kimi": {
		Name: "kimi", Command: []string{"kimi", "acp"},
		Install: "uv tool install kimi-cli==1.49",
		Login:   "kimi (and /login)",
		Env:     []EnvNote{{"KIMI_API_KEY", "or a login made with kimi"}},
		Keys:    []string{"KIMI_API_KEY"},
		Notes: []string{
			"not measured: run `runner probe kimi`",
			"plays nothing back when it loads: the context is shown as unverified",
		},
	},
	"vibe": {
		Name: "vibe", Command: []string{"vibe-acp"},
		Install: "uv tool install mistral-vibe==2.24",
		Login:   "vibe --setup",
		Env:     []EnvNote{{"MISTRAL_API_KEY", "the key"}},
		Keys:    []string{"MISTRAL_API_KEY"},
		Notes:   []string{"not measured: run `runner probe vibe`"},
	},
	"droid": {
		Name: "droid", Command: []string{"droid", "exec", "--output-format", "acp"},
		Install: "see https://factory.ai (0.202)",
		Env:     []EnvNote{{"FACTORY_API_KEY", "the key"}},
		Keys:    []string{"FACTORY_API_KEY"},
		Notes: []string{
			"not measured: run `runner probe droid`",
			"its acp-daemon mode breaks with MCP servers: this uses acp",
		},
	},
}
