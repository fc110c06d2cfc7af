package config

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/internal/near"
	"blaise.dev/blaise/plug"
)

// The keys of each section, in the order in which they are documented.
var (
	topKeys    = []string{"version", "dir", "agent", "plugs", "runner"}
	agentKeys  = []string{"use", "command", "env", "install", "mcpServers", "fs", "terminal"}
	envKeys    = []string{"from", "secret"}
	runnerKeys = []string{"slots", "labels", "repos", "mirrorDays"}
)

func (c *checker) config(root *yaml.Node) Config {
	cfg := Config{Runner: Runner{Slots: defaultSlots, MirrorDays: defaultMirrorDays}}
	seen := map[string]bool{}
	c.fields(root, "", topKeys, func(key string, value *yaml.Node) {
		seen[key] = true
		switch key {
		case "version":
			cfg.Version = c.version(value)
		case "dir":
			cfg.Dir = c.str(value, "dir")
		case "agent":
			cfg.Agent = c.agent(value)
		case "plugs":
			cfg.Plugs = c.plugs(value)
		case "runner":
			cfg.Runner = c.runner(value)
		}
	})
	c.allowed(cfg)
	if !seen["version"] {
		c.problem(root, "version is missing: write version: 1")
	}
	if !seen["agent"] {
		c.problem(root, "agent is missing: which agent works here? %s", presets())
	}
	return cfg
}

func (c *checker) version(n *yaml.Node) int {
	v, ok := c.number(n, "version")
	if ok && v != 1 {
		c.problem(n, "version %d is not known: this runner reads version 1", v)
	}
	return v
}

func (c *checker) agent(n *yaml.Node) Agent {
	var a Agent
	seen := map[string]*yaml.Node{}
	c.fields(n, "agent", agentKeys, func(key string, value *yaml.Node) {
		seen[key] = value
		switch key {
		case "use":
			a.Use = c.preset(value)
		case "command":
			a.Command = c.command(value)
		case "env":
			a.Env = c.env(value)
		case "install":
			a.Install = c.lines(value, "agent.install")
		case "mcpServers":
			a.MCPServers = c.mcpServers(value)
		case "fs":
			a.FS = c.boolean(value, "agent.fs")
		case "terminal":
			a.Terminal = c.boolean(value, "agent.terminal")
		}
	})
	if n.Kind == yaml.MappingNode && seen["use"] == nil && seen["command"] == nil {
		c.problem(n, "agent needs use or command: %s, or command: [my-agent, --acp]", presets())
	}
	if seen["use"] != nil && seen["command"] != nil {
		c.problem(seen["command"], "agent has use and command: leave one of them out")
	}
	return a
}

func presets() string { return "use: " + strings.Join(acp.Names(), " | ") }

func (c *checker) preset(n *yaml.Node) string {
	name := c.str(n, "agent.use")
	if _, ok := acp.Lookup(name); !ok && name != "" {
		c.problem(n, "unknown agent %q%s (%s, or give its command)",
			name, near.DidYouMean(name, acp.Names()), presets())
	}
	return name
}

func (c *checker) command(n *yaml.Node) []string {
	var args []string
	nodes := c.list(n, "agent.command", "[my-agent, --acp]")
	for _, e := range nodes {
		args = append(args, c.str(resolve(e), "agent.command"))
	}
	if n.Kind == yaml.SequenceNode && (len(nodes) == 0 || args[0] == "") {
		c.problem(n, "agent.command: the program is missing")
	}
	return args
}

// lines are lines for a shell; a single one needs no list.
func (c *checker) lines(n *yaml.Node, where string) []string {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	var all []string
	for _, e := range nodes {
		line := c.str(resolve(e), where)
		if strings.TrimSpace(line) == "" && e.Tag == "!!str" {
			c.problem(e, "%s: a line is empty", where)
		}
		all = append(all, line)
	}
	return all
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (c *checker) env(n *yaml.Node) map[string]EnvValue {
	env := map[string]EnvValue{}
	c.pairs(n, "agent.env", func(key, value *yaml.Node) {
		if !variable.MatchString(key.Value) {
			c.problem(key, "agent.env: %q is no name of a variable: letters, digits and _", key.Value)
		}
		env[key.Value] = c.envValue(key.Value, value)
	})
	return env
}

func (c *checker) envValue(name string, n *yaml.Node) EnvValue {
	where := "agent.env." + name
	if n.Kind != yaml.MappingNode {
		return EnvValue{Value: c.str(n, where)}
	}
	var v EnvValue
	said := false
	c.fields(n, where, envKeys, func(key string, value *yaml.Node) {
		switch key {
		case "from":
			said = true
			v.From = c.str(value, where+".from")
			if !variable.MatchString(v.From) {
				c.problem(value, "%s.from: want the name of a variable of the runner", where)
			}
		case "secret":
			v.Secret = c.boolean(value, where+".secret")
		}
	})
	if !said {
		c.problem(n, "%s: from is missing: {from: %s, secret: true}", where, name)
	}
	return v
}

func (c *checker) mcpServers(n *yaml.Node) []json.RawMessage {
	var all []json.RawMessage
	for _, e := range c.list(n, "agent.mcpServers", "[{name: N, command: C, args: [], env: []}]") {
		e = resolve(e)
		named := false
		c.pairs(e, "agent.mcpServers", func(key, _ *yaml.Node) { named = named || key.Value == "name" })
		if e.Kind == yaml.MappingNode && !named {
			c.problem(e, "agent.mcpServers: name is missing")
		}
		var v any
		err := e.Decode(&v)
		b, jsonErr := json.Marshal(v)
		if err = errors.Join(err, jsonErr); err != nil {
			c.problem(e, "agent.mcpServers: not what JSON can say: %v", err)
			continue
		}
		all = append(all, b)
	}
	return all
}

func (c *checker) plugs(n *yaml.Node) []plug.Spec {
	var specs []plug.Spec
	lines := map[string]int{}
	for _, e := range c.list(n, "plugs", "[{use: worktree}]") {
		e = resolve(e)
		var s plug.Spec
		if err := s.UnmarshalYAML(e); err != nil {
			c.plugProblem(e, err)
			continue
		}
		if line, twice := lines[s.ID]; twice {
			c.problem(e, "plug id %q is taken by the plug in line %d: give one of them another id",
				s.ID, line)
		}
		lines[s.ID] = e.Line
		if _, err := plug.New(s); err != nil {
			c.plugProblem(e, err)
		}
		specs = append(specs, s)
	}
	return specs
}

// plugProblem notes what the plug itself finds wrong with its keys.
func (c *checker) plugProblem(n *yaml.Node, err error) {
	var ce *plug.ConfigError
	switch {
	case !errors.As(err, &ce) || ce.Line == 0:
		c.problem(n, "%v", err)
	case !c.known(ce.Line, ce.Column):
		c.at(ce.Line, ce.Column, ce.Text)
	}
}

func (c *checker) runner(n *yaml.Node) Runner {
	r := Runner{Slots: defaultSlots, MirrorDays: defaultMirrorDays}
	c.fields(n, "runner", runnerKeys, func(key string, value *yaml.Node) {
		switch key {
		case "slots":
			slots, ok := c.number(value, "runner.slots")
			if ok && slots < 1 {
				c.problem(value, "runner.slots: want 1 or more, got %d", slots)
			}
			r.Slots = slots
		case "labels":
			r.Labels = c.labels(value)
		case "repos":
			r.Repos = c.repos(value)
		case "mirrorDays":
			days, ok := c.number(value, "runner.mirrorDays")
			if ok && days < 0 {
				c.problem(value, "runner.mirrorDays: want a number of days, or 0 for ever, got %d", days)
			}
			r.MirrorDays = days
		}
	})
	return r
}

func (c *checker) labels(n *yaml.Node) map[string]string {
	labels := map[string]string{}
	c.pairs(n, "runner.labels", func(key, value *yaml.Node) {
		labels[key.Value] = c.str(value, "runner.labels."+key.Value)
	})
	return labels
}
