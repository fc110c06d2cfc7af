package run

import (
	"fmt"
	"maps"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
)

// A command is how the agent of blaise.yml is started.
type command struct {
	name    string // the preset, or the program
	args    []string
	install string // a hint for a person
	preset  acp.Preset
}

// env is what the preset sets, unless blaise.yml does.
func (c command) env() []string {
	var env []string
	for _, v := range c.preset.Set {
		env = append(env, v.Name+"="+v.Note)
	}
	return env
}

func newCommand(c config.Agent, demo []string) (command, error) {
	if len(c.Command) > 0 {
		return command{name: c.Command[0], args: c.Command}, nil
	}
	p, ok := acp.Lookup(c.Use)
	if !ok {
		return command{}, blaise.Errorf(blaise.CodeRefused, "no agent is known as %q", c.Use)
	}
	if p.Name == "demo" {
		p.Command = demo
	}
	return command{name: p.Name, args: p.Command, install: p.Install, preset: p}, nil
}

// missing says that the agent's program is not where the agent is to live.
func (c command) missing(err error) error {
	e := blaise.Errorf(blaise.CodeRefused, "agent %s: program %q: %v", c.name, c.args[0], err)
	if c.install != "" {
		return e.WithHint("install it where the plugs put the agent: %s", c.install)
	}
	return e.WithHint("install it where the plugs put the agent, or correct agent.command in blaise.yml")
}

// environ is what blaise.yml adds to the agent's environment. Secrets are given
// to it in no other way, and leave the run in none.
func (r *run) environ(c config.Agent) ([]string, error) {
	env := []string{
		"BLAISE_SESSION=" + string(r.lease.Session),
		"BLAISE_RUN=" + string(r.lease.Run),
	}
	r.plainEnv = slices.Clone(env)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		v := c.Env[name]
		value := v.Value
		if v.From != "" {
			found := false
			if value, found = r.deps.Lookup(v.From); !found {
				return nil, blaise.Errorf(blaise.CodeRefused,
					"agent.env.%s: the runner has no variable %s", name, v.From).
					WithHint("set %s in the runner's environment and send the message again", v.From)
			}
		}
		if v.Secret {
			r.secrets.Add(value)
		} else {
			r.plainEnv = append(r.plainEnv, fmt.Sprintf("%s=%s", name, value))
		}
		env = append(env, fmt.Sprintf("%s=%s", name, value))
	}
	return env, nil
}
