package plug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

type localConfig struct {
	Dir string `yaml:"dir" default:"." doc:"the directory the agent works in; relative to blaise.yml"`
}

// A localPlug names a directory of the host. It makes nothing and so has
// nothing to destroy: the files are the user's.
type localPlug struct{ dir string }

var _ Plug = (*localPlug)(nil)

func newLocalPlug(c localConfig) (Plug, error) { return &localPlug{dir: c.Dir}, nil }

func (p *localPlug) Open(_ context.Context, s Scope, outer Env) (Env, error) {
	if !onHost(outer) {
		return nil, fmt.Errorf("open directory: local must come before plugs that leave this machine")
	}
	dir := hostPath(outer.Place(), p.dir)
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Opened:
		return nil, fmt.Errorf("open directory %q: %w", dir, ErrGone)
	case err != nil:
		return nil, fmt.Errorf("open directory: %w", err)
	case !st.IsDir():
		return nil, fmt.Errorf("open directory %q: it is a file", dir)
	}
	return dirEnv{outer: outer, dir: dir}, nil
}

func (p *localPlug) Destroy(context.Context, Scope) error { return nil }

// hostPath makes a path of blaise.yml absolute: "~" is the user's home, all
// else is relative to where the place is.
func hostPath(at Place, path string) string {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		return filepath.Join(at.Home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(at.Dir, path)
}
