package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/engine"
)

// checkEngine looks for what blaise.yml wants of the engine.
func (b *containerBuilder) checkEngine(ctx context.Context) error {
	c := b.p.c
	if c.Runtime != "" && !slices.Contains(b.e.Runtimes(), c.Runtime) {
		return fmt.Errorf("runtime: the engine does not know %q, but %s",
			c.Runtime, strings.Join(b.e.Runtimes(), ", "))
	}
	if c.Network == "" || c.Network == "none" || c.Network == "bridge" {
		return nil
	}
	there, err := b.e.HasNetwork(ctx, c.Network)
	if err == nil && !there {
		return fmt.Errorf("network: the engine has none of the name %q: run docker network create %s",
			c.Network, c.Network)
	}
	return err
}

// mounts are the checkout, the home, and what blaise.yml adds. An engine that
// does not see this machine's files gets volumes alone.
func (b *containerBuilder) mounts() ([]engine.Mount, error) {
	c := b.p.c
	work := engine.Mount{Source: b.outer.Dir, Target: c.Workdir}
	if b.made.Volume {
		work = engine.Mount{Volume: true, Source: workVolume(b.name), Target: c.Workdir}
	}
	all := []engine.Mount{work, {Volume: true, Source: homeVolume(b.name), Target: c.Home}}
	for i, target := range b.p.volumes {
		all = append(all, engine.Mount{Volume: true, Source: fmt.Sprintf("%s-more-%d", b.name, i), Target: target})
	}
	if c.ReadOnly {
		all = append(all, engine.Mount{Volume: true, Source: shimVolume(b.name), Target: shimRoot})
	}
	if b.made.Volume && len(c.Mounts)+len(b.outer.Needs) > 0 {
		return nil, errors.New("mounts: the engine does not see this machine's files: use files, or an image that has them")
	}
	for _, path := range b.outer.Needs {
		all = append(all, engine.Mount{Source: path, Target: path, ReadOnly: true})
	}
	for _, text := range c.Mounts {
		m, err := parseMount(text)
		if err != nil {
			return nil, err
		}
		here := hostPath(b.s.Host.Place(), m.here)
		if err := b.checkSource(here); err != nil {
			return nil, err
		}
		all = append(all, engine.Mount{Source: here, Target: m.inside, ReadOnly: m.readOnly})
	}
	return all, nil
}

// checkSource refuses what is not there (the engine would make it, as root),
// and what would give the agent this machine.
func (b *containerBuilder) checkSource(here string) error {
	st, err := os.Stat(here)
	switch {
	case err != nil:
		return fmt.Errorf("mounts: %w", err)
	case st.Mode()&os.ModeSocket != 0:
		return fmt.Errorf("mounts: %s is a socket: who can reach an engine through it has this machine", here)
	}
	real, err := filepath.EvalSymlinks(here)
	if err != nil {
		return fmt.Errorf("mounts: %w", err)
	}
	for _, private := range b.s.Private {
		_, holds := below(real, private)
		_, inside := below(private, real)
		if holds || inside {
			return fmt.Errorf("mounts: %s shows %s, which is the runner's own: name a directory without it", here, private)
		}
	}
	return nil
}

// below says whether path is dir or in it, and what it is called from there.
func below(dir, path string) (string, bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && filepath.IsLocal(name)
}
