package plug

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A remoteConfig says how a sandbox somewhere else is made and reached. Each
// verb is a command on the runner's machine, or an http address, but for exec.
type remoteConfig struct {
	Create  commandLine `yaml:"create"`
	Exec    commandLine `yaml:"exec"`
	Pause   commandLine `yaml:"pause"`
	Resume  commandLine `yaml:"resume"`
	Destroy commandLine `yaml:"destroy"`
	Probe   commandLine `yaml:"probe"`
	Token   string      `yaml:"token"`   // the runner's variable with the token for http
	Dir     string      `yaml:"dir"`     // of the workspace, inside
	Home    string      `yaml:"home"`    // inside
	Arch    string      `yaml:"arch"`    // inside; default: as here
	Shim    string      `yaml:"shim"`    // a static blaise-shim for it; default: the one beside this program
	Exclude []string    `yaml:"exclude"` // names that are not brought back
}

// UnmarshalYAML refuses keys that it does not know.
func (c *remoteConfig) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("want a mapping: {create: ..., exec: ..., destroy: ..., probe: ...}")
	}
	type plain remoteConfig
	var known []string
	for _, k := range keysOf(&plain{}) {
		known = append(known, k.Name)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if name := n.Content[i].Value; !slices.Contains(known, name) {
			return fmt.Errorf("unknown key %q%s: keys are %s", name, suggest(name, known), strings.Join(known, ", "))
		}
	}
	return n.Decode((*plain)(c))
}

func (c remoteConfig) empty() bool { return reflect.ValueOf(c).IsZero() }

// newRemoteSandbox refuses what could not be made, reached or taken down.
func newRemoteSandbox(c sandboxConfig) (Plug, error) {
	r := c.Remote
	for name, line := range map[string]commandLine{
		"create": r.Create, "exec": r.Exec, "destroy": r.Destroy, "probe": r.Probe,
	} {
		if len(line) == 0 {
			return nil, fmt.Errorf("remote: %s is missing: the command that does it", name)
		}
	}
	if (len(r.Pause) == 0) != (len(r.Resume) == 0) {
		return nil, errors.New("remote: pause and resume go together")
	}
	if httpAddress(r.Exec) != "" {
		return nil, errors.New("remote: exec is a command: its stdin and stdout are a stream into the sandbox")
	}
	if r.Dir == "" {
		r.Dir = "/workspace"
	}
	if r.Home == "" {
		r.Home = "/home/agent"
	}
	if !path.IsAbs(r.Dir) || !path.IsAbs(r.Home) {
		return nil, errors.New("remote: dir and home are absolute paths inside")
	}
	return &remoteSandbox{c: r}, nil
}

// httpAddress is the address that a verb is, "" if it is a command.
func httpAddress(line commandLine) string {
	text := line.String()
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return text
	}
	return ""
}
