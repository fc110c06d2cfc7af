package plug

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"blaise.dev/blaise/internal/shim/gate"
	"blaise.dev/blaise/internal/shim/jail"
)

type sandboxConfig struct {
	Driver  string         `yaml:"driver" default:"auto" doc:"auto, bubblewrap, namespaces, landlock, or command: a sandbox somewhere else, see remote"`
	Network sandboxNetwork `yaml:"network" default:"host" doc:"none, host, or {allow: [example.com, ...]}: those domains and what is below them, through a proxy"`
	Home    string         `yaml:"home" doc:"own (the default on this machine): a home for the environment; outer: that of the place around, as it is"`
	Login   []string       `yaml:"login" default:"what the known agents log in by" doc:"files of the home around that are copied into a home of its own"`
	Read    []string       `yaml:"read" doc:"more paths to see, beside the system's"`
	Write   []string       `yaml:"write" doc:"more paths to see and change"`
	Env     []string       `yaml:"env" doc:"more variables to let in, beside harmless ones like PATH and those of agent.env"`
	PIDs    int            `yaml:"pids" default:"1024" doc:"the most processes; 0 for no limit"`
	Require []string       `yaml:"require" doc:"walls without which it does not open: files, processes, network, sockets, syscalls, privileges, pids"`
	Remote  remoteConfig   `yaml:"remote" doc:"with driver: command: create, exec, pause, resume, destroy and probe, each a command, and dir; see docs/plugs.md"`
}

const (
	driverAuto    = "auto"
	driverCommand = "command"
	homeOwn       = "own"
	homeOuter     = "outer"
)

// logins are the files that the known agents log in by, and that say who the
// user is to git. No more of the user's home comes into a home of its own.
var logins = []string{
	".claude/.credentials.json", ".claude.json", ".claude/settings.json",
	".codex/auth.json", ".codex/config.toml",
	".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/settings.json",
	".local/share/opencode/auth.json", ".config/opencode/opencode.json",
	".config/github-copilot/apps.json", ".config/github-copilot/hosts.json", ".copilot/config.json",
	".gitconfig",
}

// secretPlaces are what people keep the keys to other places in. They are not
// seen, though the home they are in be the sandbox's, or among what it may
// read.
var secretPlaces = []string{
	".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".netrc", ".git-credentials",
	".config/blaise", ".config/gcloud", ".config/gh", ".config/op", ".local/share/keyrings",
	".password-store", ".mozilla", ".config/google-chrome", ".config/chromium",
	".bash_history", ".zsh_history", ".npmrc", ".pypirc", ".cargo/credentials.toml", ".vault-token",
}

func defaultSandboxConfig() *sandboxConfig {
	return &sandboxConfig{Driver: driverAuto, Login: logins, PIDs: 1024,
		Network: sandboxNetwork{Mode: jail.NetworkHost}}
}

func newSandbox(c sandboxConfig) (Plug, error) {
	drivers := []string{driverAuto, jail.Bubblewrap, jail.Namespaces, jail.Landlock, driverCommand}
	if !slices.Contains(drivers, c.Driver) {
		return nil, fmt.Errorf("driver: %q is not known%s: want one of %s", c.Driver,
			suggest(c.Driver, drivers), strings.Join(drivers, ", "))
	}
	if !slices.Contains([]string{"", homeOwn, homeOuter}, c.Home) {
		return nil, fmt.Errorf("home: want own or outer, not %q", c.Home)
	}
	for _, r := range c.Require {
		if !slices.Contains(wallNames, r) {
			return nil, fmt.Errorf("require: %q is no wall%s: want some of %s", r,
				suggest(r, wallNames), strings.Join(wallNames, ", "))
		}
	}
	for _, name := range c.Login {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("login: %q is to be a path below the home", name)
		}
	}
	if c.PIDs < 0 {
		return nil, errors.New("pids: want a number, or 0 for no limit")
	}
	if c.Driver == driverCommand {
		return newRemoteSandbox(c)
	}
	if !c.Remote.empty() {
		return nil, errors.New("remote: is for driver: command")
	}
	return &sandbox{c: c}, nil
}

// A sandboxNetwork is what of the network a sandbox has: a word, or domains.
type sandboxNetwork struct {
	Mode  string
	Allow []string
}

func (n sandboxNetwork) mode() string {
	if n.Allow != nil {
		return jail.NetworkProxy
	}
	return n.Mode
}

// UnmarshalYAML reads either form.
func (n *sandboxNetwork) UnmarshalYAML(y *yaml.Node) error {
	wrong := errors.New("want none, host, or {allow: [example.com]}")
	if y.Kind == yaml.ScalarNode {
		if y.Value != jail.NetworkNone && y.Value != jail.NetworkHost {
			return wrong
		}
		*n = sandboxNetwork{Mode: y.Value}
		return nil
	}
	var form struct {
		Allow []string `yaml:"allow"`
	}
	if y.Kind != yaml.MappingNode || len(y.Content) != 2 || y.Content[0].Value != "allow" || y.Decode(&form) != nil {
		return wrong
	}
	if _, err := gate.ParseRules(form.Allow); err != nil {
		return fmt.Errorf("allow: %w", err)
	}
	*n = sandboxNetwork{Allow: append([]string{}, form.Allow...)}
	return nil
}
