package plug

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/shim"
)

// The ways in which Start finds no command; test with errors.Is.
var (
	ErrCommandNotFound = shim.ErrNotFound
	ErrNotRunnable     = shim.ErrNotRunnable
)

// Local is the machine itself as an Env: the host of every stack and its
// outermost place. Every command runs under a shim of its own.
type Local struct {
	// Dir is where commands work; Home is HOME. Empty ones are the process's.
	Dir, Home string
	// Program is the program that holds the shim: it is run as
	// "PROGRAM shim run -- ...". Empty is the running program. The small one
	// that holds nothing else is taken if it stands beside it.
	Program string
	// Env is the environment of every command; nil is the process's own.
	// Blaise's own variables (BLAISE_*, tokens among them) and git's (GIT_DIR
	// and the like) are never passed on.
	Env []string
	// Mark is in the environment of all that is started here, so that
	// KillMarked finds what has lost its shim. "" is none.
	Mark string
	// Fence holds all that is started here. Nil: no deadline.
	Fence *Fence
	// Started is told of every shim before Start returns, so that it can be
	// written down; an error kills what was started. Nil: nobody is told.
	Started func(ShimRef) error
}

var _ Env = (*Local)(nil)

// Place is where the Local's commands run.
func (l *Local) Place() Place {
	p := Place{Dir: l.Dir, Home: l.Home, Shim: l.Program, OS: runtime.GOOS, Arch: runtime.GOARCH}
	if p.Dir == "" {
		p.Dir, _ = os.Getwd()
	}
	if p.Home == "" {
		p.Home, _ = os.UserHomeDir()
	}
	if p.Shim == "" {
		p.Shim, _ = os.Executable()
	}
	p.Shim = smallShim(p.Shim)
	return p
}

// smallShim is the small program beside the one that holds the shim, if it is
// there: one stands beside every command, and it begins in a quarter of the
// time. Elsewhere than on Linux the one that is there may be for containers.
func smallShim(program string) string {
	small := filepath.Join(filepath.Dir(program), shim.SmallName)
	if runtime.GOOS == "linux" && isFile(small) {
		return small
	}
	return program
}

// Start runs c under a shim. The end of ctx ends the start, not the process.
// Past the fence it waits: the lease may be somebody else's by now.
func (l *Local) Start(ctx context.Context, c Cmd) (Process, error) {
	if len(c.Args) == 0 {
		return nil, fmt.Errorf("start command: no arguments")
	}
	if err := l.Fence.Await(ctx); err != nil {
		return nil, fmt.Errorf("start command %q: %w", c.Args[0], err)
	}
	place := l.Place()
	dir := place.abs(c.Dir)
	env := mergeEnv(l.base(), []string{"HOME=" + place.Home}, c.Env, []string{"PWD=" + dir})
	p := &localProcess{fence: l.Fence}
	err := p.start(ctx, c, shim.Command{
		Program: place.Shim, Args: c.Args, Dir: dir, Env: env, Fence: l.Fence.at(), Mark: l.Mark,
	})
	if err != nil {
		return nil, err
	}
	if err := l.tell(p); err != nil {
		return nil, err
	}
	return p, nil
}

func (l *Local) tell(p *localProcess) error {
	if l.Started == nil {
		return nil
	}
	if err := l.Started(p.ref()); err != nil {
		_ = p.Kill()
		return fmt.Errorf("record process: %w", err)
	}
	return nil
}

// base is the environment without what is Blaise's own, as are the runner's
// OTEL_ variables with the collector's password, or would lead git astray: a
// runner started from a git hook has GIT_DIR set.
func (l *Local) base() []string {
	env := l.Env
	if env == nil {
		env = os.Environ()
	}
	kept := make([]string, 0, len(env))
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(key, "BLAISE_") && !strings.HasPrefix(key, "OTEL_") && !slices.Contains(gitLocalVars, key) {
			kept = append(kept, kv)
		}
	}
	return kept
}

var gitLocalVars = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG_PARAMETERS",
	"GIT_CONFIG_COUNT",
}

// mergeEnv joins lists of KEY=VALUE; the last one of a key wins.
func mergeEnv(lists ...[]string) []string {
	var merged []string
	at := map[string]int{}
	for _, kv := range slices.Concat(lists...) {
		key, _, _ := strings.Cut(kv, "=")
		if i, ok := at[key]; ok {
			merged[i] = kv
			continue
		}
		at[key] = len(merged)
		merged = append(merged, kv)
	}
	return merged
}

// A dirEnv is outer with another directory: what local and worktree make.
type dirEnv struct {
	outer Env
	dir   string
}

var _ Env = dirEnv{}

func (e dirEnv) Place() Place {
	p := e.outer.Place()
	p.Dir = e.dir
	return p
}

func (e dirEnv) Start(ctx context.Context, c Cmd) (Process, error) {
	c.Dir = e.Place().abs(c.Dir)
	return e.outer.Start(ctx, c)
}

// onHost reports whether paths in e are paths of this machine.
func onHost(e Env) bool {
	switch e := e.(type) {
	case *Local:
		return true
	case dirEnv:
		return onHost(e.outer)
	case interface{ OnHost() bool }:
		return e.OnHost()
	}
	return false
}
