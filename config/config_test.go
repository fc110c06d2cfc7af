package config_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"blaise.dev/blaise/config"
)

const good = "version: 1\nagent: {use: claude}\n"

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := config.Parse("blaise.yml", []byte(`
version: 1
agent:
  command: [my-agent, --acp]
  env:
    PORT: "8080"
    timeout: "5"
    KEY: {from: MY_KEY, secret: true}
  mcpServers: [{name: files, command: /bin/mcp, args: [1]}]
  terminal: true
plugs:
  - {use: worktree, id: src, branch: "x/{session}/{input.NAME}"}
  - use: local
runner: {slots: 2, labels: {os: linux}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Plugs) != 2 || got.Plugs[0].ID != "src" || got.Plugs[1].ID != "local" {
		t.Errorf("got plugs %v", got.Plugs)
	}
	got.Plugs = nil
	want := config.Config{
		Version: 1,
		Agent: config.Agent{
			Command: []string{"my-agent", "--acp"},
			Env: map[string]config.EnvValue{
				"PORT": {Value: "8080"}, "timeout": {Value: "5"}, "KEY": {From: "MY_KEY", Secret: true},
			},
			MCPServers: []json.RawMessage{[]byte(`{"args":[1],"command":"/bin/mcp","name":"files"}`)},
			Terminal:   true,
		},
		Runner: config.Runner{Slots: 2, Labels: map[string]string{"os": "linux"}, MirrorDays: 30},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got, err = config.Parse("", []byte(good)); err != nil || got.Runner.Slots != 4 {
		t.Errorf("got %+v (%v), want 4 slots", got, err)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"an unknown key", good + "plug: []\n", `b.yml:3:1: unknown key "plug"; did you mean "plugs"?`},
		{"one like no other", good + "zzzzzz: 1\n", `b.yml:3:1: unknown key "zzzzzz": known keys are version, dir, agent, plugs, runner`},
		{"one in a section", "version: 1\nagent:\n  use: claude\n  mcpservers: []\n", `b.yml:4:3: unknown key "mcpservers" in agent; did you mean "mcpServers"?`},
		{"one of a plug", good + "plugs:\n- use: worktree\n  brnach: x\n", `b.yml:5:3: unknown key "brnach" (did you mean "branch"?)`},
		{"an unknown plug", good + "plugs: [{use: worktre}]\n", `b.yml:3:9: unknown plug "worktre" (did you mean "worktree"?)`},
		{"an unknown preset", "version: 1\nagent: {use: claud}\n", `b.yml:2:14: unknown agent "claud"; did you mean "claude"?`},
		{"a double key", good + "agent: {use: demo}\n", `b.yml:3:1: key "agent" stands here twice; first in line 2`},
		{"a double id", good + "plugs:\n- {use: local}\n- {use: local}\n", `b.yml:5:3: plug id "local" is taken by the plug in line 4`},
		{"a bad id", good + "plugs: [{use: local, id: a b}]\n", `b.yml:3:26: id "a b"`},
		{"no use", good + "plugs: [{id: a}]\n", `b.yml:3:9: use is missing`},
		{"a wrong type", good + "runner: {slots: many}\n", `b.yml:3:17: runner.slots: want a whole number, got the text "many"`},
		{"a repository that is not allowed", good + "plugs: [{use: worktree, repo: \"https://h/a\"}]\n",
			`b.yml:3:31: plug "worktree": repo: this runner may not fetch https://h/a: to allow it, add it`},
		{"no address", good + "plugs: [{use: worktree, repo: \"ext::sh -c x\"}]\n", `"ext::sh -c x" is no address of a repository`},
		{"a pattern for every host", good + "runner: {repos: [\"https://*/a\"]}\n", `b.yml:3:18: runner.repos: "https://*/a" is no address`},
		{"mirrors kept for less than a day", good + "runner: {mirrorDays: -1}\n", `b.yml:3:22: runner.mirrorDays: want a number of days`},
		{"too small a number", good + "runner: {slots: 0}\n", `b.yml:3:17: runner.slots: want 1 or more`},
		{"a list for a mapping", "version: 1\nagent: [claude]\n", `b.yml:2:8: agent: want keys and values, got a list`},
		{"a mapping for a list", good + "plugs: {use: local}\n", `b.yml:3:8: plugs: want a list, such as [{use: worktree}], got keys and values`},
		{"a number for a text", "version: 1\nagent:\n  use: claude\n  env: {PORT: 8080}\n", `b.yml:4:15: agent.env.PORT: want a text, got the number 8080: write "8080" in quotes`},
		{"a command that is a text", "version: 1\nagent: {command: my-agent --acp}\n", `b.yml:2:18: agent.command: want a list, such as [my-agent, --acp]`},
		{"an empty command", "version: 1\nagent: {command: []}\n", `b.yml:2:18: agent.command: the program is missing`},
		{"a variable from nowhere", "version: 1\nagent: {use: demo, env: {A: {secret: true}}}\n", `b.yml:2:29: agent.env.A: from is missing`},
		{"a variable of a bad name", "version: 1\nagent: {use: demo, env: {A-B: x}}\n", `b.yml:2:26: agent.env: "A-B" is no name of a variable`},
		{"no version", "agent: {use: demo}\n", `b.yml:1:1: version is missing: write version: 1`},
		{"another version", "version: 2\nagent: {use: demo}\n", `b.yml:1:10: version 2 is not known`},
		{"no agent", "version: 1\n", `b.yml:1:1: agent is missing`},
		{"neither use nor command", "version: 1\nagent: {fs: true}\n", `b.yml:2:8: agent needs use or command`},
		{"both", "version: 1\nagent: {use: demo, command: [x]}\n", `b.yml:2:29: agent has use and command`},
		{"a nameless MCP server", "version: 1\nagent: {use: demo, mcpServers: [{command: x}]}\n", `b.yml:2:33: agent.mcpServers: name is missing`},
		{"bad YAML", "version: 1\nagent:\n  use: [claude\n", `b.yml:3:3: this is not YAML`},
		{"a tab", "version: 1\nagent:\n\tuse: claude\n", `b.yml:3:2: this is not YAML`},
		{"nothing", "# only words\n", `b.yml:1:1: the file is empty`},
		{"a list", "- a\n", `b.yml:1:1: want keys and values, got a list`},
		{"bad YAML after a document", good + "---\ngarbage: [\n", `b.yml:5:1: this is not YAML`},
		{"two documents", good + "---\na: 1\n", `a second document begins here`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("b.yml", []byte(c.in))
			var problems config.Problems
			if !errors.As(err, &problems) || len(problems) != 1 {
				t.Fatalf("got %d problems:\n%v", len(problems), err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("all at once, in order", func(t *testing.T) {
		t.Parallel()
		_, err := config.Parse("b.yml", []byte("version: x\nagent: {usee: demo, timeout: 5m}\nplugs:\n- {use: local, dri: x}\nrunner: {slot: 1}\nidle: 15m\n"))
		var places []string
		for _, line := range strings.Split(err.Error(), "\n") {
			places = append(places, strings.SplitN(line, " ", 2)[0])
		}
		want := "b.yml:1:10: b.yml:2:8: b.yml:2:9: b.yml:2:21: b.yml:4:16: b.yml:5:10: b.yml:6:1:"
		if got := strings.Join(places, " "); got != want {
			t.Errorf("got  %s\nwant %s\n%v", got, want, err)
		}
	})
}

// A6: times live with the agent in Blaise; the runner has none.
func TestA6TimingKeys(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		good + "timeout: 5m\n":                                    "budget.expiresAfter",
		good + "idle: {after: 5m}\n":                              "policy.idle.after",
		good + "max_paused: 7d\n":                                 "policy.maxPaused",
		good + "runner: {interval: 5s}\n":                         "policy.lease.beat",
		good + "runner: {ttl: 5s}\n":                              "budget.expiresAfter",
		good + "plugs: [{use: local, timeout: 5m}]\n":             "limits.open",
		good + "plugs: [{use: local, hooks: [{deadline: 5m}]}]\n": "budget.expiresAfter",
		good + "plugs: [{use: local, grace: 5m}]\n":               "limits.stopGrace",
		"version: 1\nagent: {use: demo, startTimeout: 5}\n":       "limits.agentStart",
		"version: 1\nagent: {use: demo, expires: 5}\n":            "budget.expiresAfter",
	} {
		_, err := config.Parse("b.yml", []byte(in))
		if err == nil || !strings.Contains(err.Error(), "Set "+want+" there") ||
			!strings.Contains(err.Error(), "blaise apply") {
			t.Errorf("%s: got %v, want one about %s", in, err, want)
		}
	}
	if _, err := config.Parse("b.yml", []byte("version: 1\nagent: {use: demo, env: {TIMEOUT: \"5\", idle: x}}\n")); err != nil {
		t.Errorf("the agent's own variables: %v", err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	if _, err := config.Read(filepath.Join(t.TempDir(), "blaise.yml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	got, err := config.Read("../blaise.yml.example")
	if err != nil {
		t.Fatal(err)
	}
	if got.Agent.Use != "claude" || !got.Agent.Env["ANTHROPIC_API_KEY"].Secret || len(got.Plugs) == 0 {
		t.Errorf("got %+v", got)
	}
}

// The schema knows every key that the example and the parser know.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	properties := func(path ...string) map[string]any {
		at := schema
		for _, p := range path {
			at = at["properties"].(map[string]any)[p].(map[string]any)
		}
		return at["properties"].(map[string]any)
	}
	example, err := os.ReadFile("../blaise.yml.example")
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(example, &file); err != nil {
		t.Fatal(err)
	}
	for key, value := range file {
		if properties()[key] == nil {
			t.Errorf("the schema lacks %s", key)
		}
		section, ok := value.(map[string]any)
		for inner := range section {
			if ok && properties(key)[inner] == nil {
				t.Errorf("the schema lacks %s.%s", key, inner)
			}
		}
	}
	for section, keys := range config.Keys() {
		path := strings.Fields(section)
		if got := properties(path...); len(got) != len(keys) {
			t.Errorf("%q: the schema has %d keys, the parser %v", section, len(got), keys)
		}
		for _, k := range keys {
			if properties(path...)[k] == nil {
				t.Errorf("the schema lacks %s %s", section, k)
			}
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	v := config.Values{Session: "abc", Environment: "abc-2", Inputs: map[string]string{"issue": "7"}}
	got, err := config.Expand(`{session} {environment} {input.issue} {"json": 1} {}`, v)
	if want := `abc abc-2 7 {"json": 1} {}`; err != nil || got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
	for in, want := range map[string]string{
		"{sesion}":      `expand "{sesion}": unknown {sesion}; did you mean "session"?`,
		"{input.isue}":  `expand "{input.isue}": unknown {input.isue}; did you mean "input.issue"?`,
		"a {something}": `expand "a {something}": unknown {something}`,
	} {
		if _, err := config.Expand(in, v); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good + "plugs: [{use: worktree}, &a {use: local, x: *a}]\nrunner: {slots: 1}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := config.Parse("f", data)
		var problems config.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Fatalf("got %T", err)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 {
				t.Errorf("no place: %v", p)
			}
		}
	})
}

// Relative paths are relative to where the file is, unless it says otherwise.
func TestBase(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{"": "/etc/blaise", ".": "/etc/blaise", "../app": "/etc/app", "/srv": "/srv"} {
		cfg, err := config.Parse("blaise.yml", []byte("version: 1\ndir: "+strconv.Quote(dir)+"\nagent: {use: demo}\n"))
		if got := cfg.Base("/etc/blaise/blaise.yml"); err != nil || got != want {
			t.Errorf("dir %q: got %q, want %q; %v", dir, got, want, err)
		}
	}
}
