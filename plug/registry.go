package plug

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A kind is one plug that blaise.yml may use.
type kind struct {
	doc    string
	config func() any // a pointer to its configuration, with the defaults
	make   func(config any) (Plug, error)
}

// kinds are all plugs there are. A new plug is a line here and a file beside.
func kinds() map[string]kind {
	return map[string]kind{
		"exec": {
			doc:    "your own plug: commands on the runner's machine that make, pause and destroy something (docs/plugs.md)",
			config: func() any { return &execConfig{Reach: "host"} },
			make:   func(c any) (Plug, error) { return newExec(*c.(*execConfig)) },
		},
		"container": {
			doc:    "a Docker container for each environment, with a home that lasts as long; a pause stops it",
			config: func() any { return defaultContainerConfig() },
			make:   func(c any) (Plug, error) { return newContainer(*c.(*containerConfig)) },
		},
		"devcontainer": {
			doc:    "a container as the repository's devcontainer.json describes it, read from the base commit",
			config: func() any { return defaultDevcontainerConfig() },
			make:   func(c any) (Plug, error) { return newDevcontainer(*c.(*devcontainerConfig)) },
		},
		"local": {
			doc:    "a directory of this machine, as it is; the agent works in the user's own files",
			config: func() any { return &localConfig{} },
			make:   func(c any) (Plug, error) { return newLocalPlug(*c.(*localConfig)) },
		},
		"sandbox": {
			doc:    "walls around the agent: its workspace and a home are all it can change, and its network what you say",
			config: func() any { return defaultSandboxConfig() },
			make:   func(c any) (Plug, error) { return newSandbox(*c.(*sandboxConfig)) },
		},
		"secrets": {
			doc:    "secret values for the agent, in variables or private files, taken out of the record; wiped at a pause",
			config: func() any { return &secretsConfig{} },
			make:   func(c any) (Plug, error) { return newSecrets(*c.(*secretsConfig)) },
		},
		"setup": {
			doc:    "commands inside the place around it: once for each environment (install what is needed), and in every run",
			config: func() any { return &setupConfig{} },
			make:   func(c any) (Plug, error) { return newSetup(*c.(*setupConfig)) },
		},
		"worktree": {
			doc:    "a git worktree of its own, on a branch of its own; work is saved to refs/blaise",
			config: func() any { return defaultWorktreeConfig() },
			make:   func(c any) (Plug, error) { return newWorktree(*c.(*worktreeConfig)) },
		},
	}
}

// New makes the plug that a spec asks for. What is wrong with its keys is a
// *ConfigError.
func New(s Spec) (Plug, error) {
	k, ok := kinds()[s.Use]
	if !ok {
		return nil, errorAt(&s.Config, "unknown plug %q%s: known plugs: %s", s.Use,
			suggest(s.Use, Names()), known())
	}
	config := k.config()
	if err := s.decode(config); err != nil {
		return nil, err
	}
	return k.make(config)
}

// Names are the plugs that blaise.yml may use, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds())) }

func known() string { return strings.Join(Names(), ", ") }

// Describe documents a plug and its keys, for "runner plugs".
func Describe(name string) (doc string, keys []Key, err error) {
	k, ok := kinds()[name]
	if !ok {
		return "", nil, fmt.Errorf("unknown plug %q: known plugs: %s", name, known())
	}
	return k.doc, keysOf(k.config()), nil
}
