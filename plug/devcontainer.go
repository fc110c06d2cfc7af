package plug

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/internal/engine"
)

type devcontainerConfig struct {
	Path    string   `yaml:"path" default:".devcontainer/devcontainer.json" doc:"the file, in the repository"`
	Repo    string   `yaml:"repo" default:"." doc:"the repository, a directory of this machine; relative to blaise.yml"`
	Base    string   `yaml:"base" doc:"the branch or commit to read it from; default: the branch the repository is on"`
	User    string   `yaml:"user" doc:"who works inside, in place of remoteUser; default: the runner's own ids"`
	Home    string   `yaml:"home" default:"/home/agent" doc:"HOME inside: a volume that lasts as long as the environment"`
	Files   []string `yaml:"files" doc:"as container has it"`
	Mounts  []string `yaml:"mounts" doc:"as container has it: directories of this machine are the operator's to give"`
	CPUs    float64  `yaml:"cpus" doc:"as container has it"`
	Memory  string   `yaml:"memory" doc:"as container has it"`
	PIDs    int64    `yaml:"pids" default:"4096" doc:"as container has it"`
	Network string   `yaml:"network" doc:"as container has it"`
	CapDrop []string `yaml:"capDrop" doc:"as container has it"`
	Runtime string   `yaml:"runtime" doc:"as container has it"`
	Engine  string   `yaml:"engine" doc:"as container has it"`
	Remote  bool     `yaml:"remote" doc:"as container has it"`
	Reach   string   `yaml:"reach" default:"host" doc:"as container has it"`
	Shim    string   `yaml:"shim" doc:"as container has it"`
}

func defaultDevcontainerConfig() *devcontainerConfig {
	return &devcontainerConfig{
		Path: ".devcontainer/devcontainer.json", Repo: ".", Home: "/home/agent", PIDs: 4096,
		Reach: string(blaise.ReachHost),
	}
}

// A devcontainer is a container as the repository's devcontainer.json describes
// it. The file is read from the base commit of the user's repository, once per
// environment: nothing that an agent has changed decides what is made.
type devcontainer struct {
	c    devcontainerConfig
	home sync.Mutex // held while the checkout comes home
}

var (
	_ Plug     = (*devcontainer)(nil)
	_ Pauser   = (*devcontainer)(nil)
	_ Saver    = (*devcontainer)(nil)
	_ Bringer  = (*devcontainer)(nil)
	_ Lister   = (*devcontainer)(nil)
	_ Weigher  = (*devcontainer)(nil)
	_ Reacher  = (*devcontainer)(nil)
	_ Isolator = (*devcontainer)(nil)
)

func newDevcontainer(c devcontainerConfig) (Plug, error) {
	p := &devcontainer{c: c}
	if c.Path == "" || path.IsAbs(c.Path) || strings.HasPrefix(path.Clean(c.Path), "..") {
		return nil, fmt.Errorf("path: want a path within the repository, not %q", c.Path)
	}
	check := p.container(devFile{Image: "any"}).c
	return p, check.check()
}

// Reach is what blaise.yml says.
func (p *devcontainer) Reach() blaise.Reach { return blaise.Reach(p.c.Reach) }

// Isolates says that nothing of the outer place is seen inside but Dir.
func (p *devcontainer) Isolates() bool { return true }

// Open reads the file, makes the container or starts it, and runs what the file
// wants to be run: all but postStartCommand once.
func (p *devcontainer) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	f, err := readDown[devFile](s.Dir, devcontainerFile)
	if err != nil {
		return nil, err
	}
	if f == nil || !s.Opened {
		if f, err = p.read(ctx, s); err != nil {
			return nil, err
		}
		if err := writeDown(s.Dir, devcontainerFile, f); err != nil {
			return nil, err
		}
	}
	c := p.container(*f)
	if f.Build.Dockerfile != "" {
		c.build = func(ctx context.Context, b *containerBuilder) (string, error) { return p.build(ctx, b, f) }
	}
	env, err := c.Open(ctx, s, outer)
	if err != nil {
		return nil, err
	}
	env = addedEnv{outer: env, vars: pairs(f.RemoteEnv)}
	return env, p.prepare(ctx, s, f, env)
}

// prepare runs the commands of the file.
func (p *devcontainer) prepare(ctx context.Context, s Scope, f *devFile, env Env) error {
	runner := &setup{}
	if !f.Prepared {
		for _, c := range f.once() {
			if err := runner.run(ctx, s, env, c.key, c.lines); err != nil {
				return err
			}
		}
		f.Prepared = true
		if err := writeDown(s.Dir, devcontainerFile, f); err != nil {
			return err
		}
	}
	return runner.run(ctx, s, env, "postStartCommand", f.PostStart.lines)
}

// container is the plug that does the work.
func (p *devcontainer) container(f devFile) *container {
	c := defaultContainerConfig()
	c.Image, c.Home, c.Files, c.Mounts = f.Image, p.c.Home, p.c.Files, p.c.Mounts
	c.CPUs, c.Memory, c.PIDs, c.Network = p.c.CPUs, p.c.Memory, p.c.PIDs, p.c.Network
	c.CapDrop, c.Runtime, c.Engine, c.Remote = p.c.CapDrop, p.c.Runtime, p.c.Engine, p.c.Remote
	c.Reach, c.Shim, c.User, c.Env = p.c.Reach, p.c.Shim, p.c.User, f.ContainerEnv
	if f.WorkspaceFolder != "" {
		c.Workdir = f.WorkspaceFolder
	}
	if c.User == "" {
		c.User = f.user()
	}
	return &container{c: *c, volumes: f.volumes()}
}

// read takes the file out of the base commit. A bad one is the repository's: the
// message waits for a better.
func (p *devcontainer) read(ctx context.Context, s Scope) (*devFile, error) {
	repo, commit, err := p.commit(ctx, s)
	if err != nil {
		return nil, err
	}
	text, err := repo.Run(ctx, "show", commit+":"+p.c.Path)
	if err != nil {
		return nil, fmt.Errorf("%w: read %s of commit %.12s: %w", errAsked, p.c.Path, commit, err)
	}
	f, ignored, err := parseDevFile([]byte(text), p.c)
	if err != nil {
		return nil, fmt.Errorf("%w: %s of commit %.12s: %w", errAsked, p.c.Path, commit, err)
	}
	for _, what := range ignored {
		note(s, "%s: %s", p.c.Path, what)
	}
	f.Commit = commit
	return f, nil
}

func (p *devcontainer) commit(ctx context.Context, s Scope) (*git.Repo, string, error) {
	repo, err := p.repo(ctx, s)
	if err != nil {
		return nil, "", err
	}
	base := p.c.Base
	if base == "" {
		if base, err = repo.HeadBranch(ctx); err != nil {
			return nil, "", err
		}
	}
	commit, err := repo.Resolve(ctx, base)
	return repo, commit, err
}

// repo opens the repository, a directory of this machine.
func (p *devcontainer) repo(ctx context.Context, s Scope) (*git.Repo, error) {
	if ByURL(p.c.Repo) {
		return nil, fmt.Errorf("%w: repo: devcontainer reads a repository of this machine: name its directory", ErrRefused)
	}
	return git.Open(ctx, hostPath(s.Host.Place(), p.c.Repo))
}

// build builds the file's Dockerfile, with the context as the commit has it.
func (p *devcontainer) build(ctx context.Context, b *containerBuilder, f *devFile) (string, error) {
	repo, err := p.repo(ctx, b.s)
	if err != nil {
		return "", err
	}
	dir := path.Join(path.Dir(p.c.Path), f.Build.Context)
	file := path.Join(path.Dir(p.c.Path), f.Build.Dockerfile)
	if strings.HasPrefix(dir, "..") || strings.HasPrefix(file, "..") {
		return "", errors.New("build: the context and the Dockerfile must be in the repository")
	}
	name, inside := below("/"+dir, "/"+file)
	if !inside {
		return "", fmt.Errorf("build: %s is not in the context %s", file, dir)
	}
	tree := f.Commit
	if dir != "." {
		tree += ":" + dir
	}
	id, err := repo.Run(ctx, "rev-parse", "--verify", "--end-of-options", tree+"^{tree}")
	if err != nil {
		return "", fmt.Errorf("find build context %s: %w", dir, err)
	}
	packed, err := repo.Run(ctx, "archive", "--format=tar", tree)
	if err != nil {
		return "", fmt.Errorf("pack build context: %w", err)
	}
	image, err := b.buildOf(ctx, engine.Build{
		Dockerfile: name, Target: f.Build.Target, Args: f.Build.Args, Context: strings.NewReader(packed),
	}, []byte(id)) // an archive of a tree has the time of its making in it
	if err != nil {
		err = theirs{err}
	}
	return image, err
}

func (p *devcontainer) known(s Scope) (*container, error) {
	f, err := readDown[devFile](s.Dir, devcontainerFile)
	if err != nil || f == nil {
		return p.container(devFile{}), err
	}
	return p.container(*f), nil
}

// Pause stops the container.
func (p *devcontainer) Pause(ctx context.Context, s Scope) error {
	c, err := p.known(s)
	if err != nil {
		return err
	}
	return c.Pause(ctx, s)
}

// Save brings the checkout home where it lives in a volume.
func (p *devcontainer) Save(ctx context.Context, s Scope, _ Env) (blaise.SavedWork, error) {
	return blaise.SavedWork{}, p.Bring(ctx, s)
}

// Bring does so while the agent works.
func (p *devcontainer) Bring(ctx context.Context, s Scope) error {
	p.home.Lock()
	defer p.home.Unlock()
	c, err := p.known(s)
	if err != nil {
		return err
	}
	return c.Bring(ctx, s)
}

// Destroy removes the container and its volumes.
func (p *devcontainer) Destroy(ctx context.Context, s Scope) error {
	return p.container(devFile{}).Destroy(ctx, s)
}

// List finds the containers and volumes with our labels.
func (p *devcontainer) List(ctx context.Context, host Env) ([]blaise.Resource, error) {
	return p.container(devFile{}).List(ctx, host)
}

// Weigh asks the engine what they take.
func (p *devcontainer) Weigh(ctx context.Context, things []blaise.Resource) (map[blaise.Resource]int64, error) {
	return p.container(devFile{}).Weigh(ctx, things)
}
