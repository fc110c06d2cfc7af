package plug

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"blaise.dev/blaise"
)

type containerConfig struct {
	Image      string            `yaml:"image" doc:"the image; pulled if the engine does not have it"`
	Dockerfile string            `yaml:"dockerfile" doc:"build the image from this file, and not image; relative to blaise.yml"`
	Context    string            `yaml:"context" doc:"the directory that the Dockerfile copies from; default: the one it is in"`
	User       string            `yaml:"user" doc:"who works inside: a name or UID:GID; default: the runner's own ids, so that its files stay its own"`
	Workdir    string            `yaml:"workdir" default:"/workspace" doc:"where the checkout is inside"`
	Home       string            `yaml:"home" default:"/home/agent" doc:"HOME inside: a volume that lasts as long as the environment"`
	Files      []string          `yaml:"files" doc:"files put into the new container, readable by the user alone: HERE:INSIDE; ~ is the home there"`
	Mounts     []string          `yaml:"mounts" doc:"directories of this machine to be seen inside: HERE:INSIDE or HERE:INSIDE:ro"`
	Env        map[string]string `yaml:"env" doc:"variables of all commands inside; secrets belong to agent.env"`
	CPUs       float64           `yaml:"cpus" doc:"how many processors it may use; default: all"`
	Memory     string            `yaml:"memory" doc:"how much memory, as 512m or 4g; default: all"`
	PIDs       int64             `yaml:"pids" default:"4096" doc:"how many processes and threads"`
	Network    string            `yaml:"network" doc:"none, or the name of a network; default: the engine's own"`
	ReadOnly   bool              `yaml:"readOnly" doc:"only the checkout, the home, /tmp and /run can be written"`
	CapDrop    []string          `yaml:"capDrop" doc:"capabilities to take away, or ALL"`
	Privileges bool              `yaml:"newPrivileges" default:"false" doc:"let setuid programs (sudo) gain privileges"`
	Runtime    string            `yaml:"runtime" doc:"the engine's runtime, as runsc; default: the engine's own"`
	Engine     string            `yaml:"engine" doc:"the engine's address; default: DOCKER_HOST, else the usual socket"`
	Remote     bool              `yaml:"remote" doc:"the engine does not see this machine's files: the checkout goes into a volume; so it does wherever the engine is no local socket"`
	Reach      string            `yaml:"reach" default:"host" doc:"shared: other machines of this runner reach the same engine and files"`
	Shim       string            `yaml:"shim" doc:"a static Linux blaise-shim for the engine's processor; default: this program, if it is one"`
}

func defaultContainerConfig() *containerConfig {
	return &containerConfig{
		Workdir: "/workspace", Home: "/home/agent", PIDs: 4096, Reach: string(blaise.ReachHost),
	}
}

// check refuses what no engine could do, or must not.
func (c *containerConfig) check() error {
	switch {
	case c.Image == "" && c.Dockerfile == "":
		return errors.New("image is missing: which image, or which dockerfile?")
	case c.Image != "" && c.Dockerfile != "":
		return errors.New("image and dockerfile exclude each other")
	case c.Context != "" && c.Dockerfile == "":
		return errors.New("context is for a dockerfile")
	case c.CPUs < 0 || c.PIDs < 0:
		return errors.New("cpus and pids: want numbers above 0")
	case c.Reach != string(blaise.ReachHost) && c.Reach != string(blaise.ReachShared):
		return fmt.Errorf("reach: want host or shared, not %q", c.Reach)
	case c.Network == "host" || strings.HasPrefix(c.Network, "container:"):
		return fmt.Errorf("network: %q would give the agent a network that is not its own: "+
			"want none or the name of a network", c.Network)
	}
	if err := c.checkPaths(); err != nil {
		return err
	}
	if _, err := c.memory(); err != nil {
		return err
	}
	for _, m := range c.Mounts {
		if _, err := parseMount(m); err != nil {
			return err
		}
	}
	return nil
}

func (c *containerConfig) checkPaths() error {
	for key, p := range map[string]string{"workdir": c.Workdir, "home": c.Home} {
		if !path.IsAbs(p) || path.Clean(p) != p || p == "/" {
			return fmt.Errorf("%s: %q is no absolute path below /", key, p)
		}
	}
	if strings.HasPrefix(c.Workdir+"/", c.Home+"/") || strings.HasPrefix(c.Home+"/", c.Workdir+"/") {
		return errors.New("workdir and home: one is inside of the other: a home is not saved, a checkout is")
	}
	return nil
}

var sizePattern = regexp.MustCompile(`^([0-9]+)([kmgKMG]?)[bB]?$`)

func (c *containerConfig) memory() (int64, error) {
	if c.Memory == "" {
		return 0, nil
	}
	m := sizePattern.FindStringSubmatch(c.Memory)
	if m == nil {
		return 0, fmt.Errorf("memory: want a size as 512m or 4g, not %q", c.Memory)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("memory: %w", err)
	}
	shift := map[string]uint{"": 0, "k": 10, "m": 20, "g": 30}[strings.ToLower(m[2])]
	if n<<shift < 6<<20 || n > 1<<40 {
		return 0, fmt.Errorf("memory: %s is not a size that an engine takes (6m at least)", c.Memory)
	}
	return n << shift, nil
}

// A bind is a directory of this machine that is seen inside.
type bind struct {
	here, inside string
	readOnly     bool
}

func parseMount(s string) (bind, error) {
	parts := strings.Split(s, ":")
	b := bind{here: parts[0]}
	switch {
	case len(parts) == 3 && (parts[2] == "ro" || parts[2] == "rw"):
		b.readOnly = parts[2] == "ro"
	case len(parts) != 2:
		return b, fmt.Errorf("mounts: want HERE:INSIDE or HERE:INSIDE:ro, not %q", s)
	}
	b.inside = parts[1]
	if b.here == "" || !path.IsAbs(b.inside) {
		return b, fmt.Errorf("mounts: %q: the path inside must be absolute", s)
	}
	return b, nil
}
