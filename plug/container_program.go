package plug

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path"
	"strings"
	"time"

	"blaise.dev/blaise/internal/engine"
)

// A ProgramFinder is a Plug that can tell without a run whether a program is in
// the place that it makes.
type ProgramFinder interface {
	// FindProgram answers where the program is inside, "" for nowhere. Known is
	// false if that cannot be told before the place is made.
	FindProgram(ctx context.Context, host Env, program string) (at string, known bool, err error)
}

var _ ProgramFinder = (*container)(nil)

// FindProgram looks into an image that the engine has, through a container that
// never runs.
func (p *container) FindProgram(ctx context.Context, host Env, program string) (string, bool, error) {
	if p.c.Image == "" || strings.Contains(program, "/") && !path.IsAbs(program) {
		return "", false, nil
	}
	e, err := p.dial(ctx)
	if err != nil {
		return "", false, err
	}
	defer e.Close()
	image, err := e.Image(ctx, p.c.Image)
	if errors.Is(err, engine.ErrNotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	name := "blaise-look-" + strings.ToLower(rand.Text())
	if err := e.Create(ctx, engine.Container{Name: name, Image: image.ID, Command: []string{program}}); err != nil {
		return "", false, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = e.Remove(ctx, name) // an engine that went away meanwhile: the next call says so
	}()
	for _, at := range p.candidates(image, program) {
		there, err := p.has(ctx, e, host, name, at)
		if there || err != nil {
			return at, true, err
		}
	}
	return "", true, nil
}

// candidates are the paths that a command of the name may have inside.
func (p *container) candidates(image engine.Image, program string) []string {
	if path.IsAbs(program) {
		return []string{program}
	}
	dirs := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" // an image without PATH has the engine's
	for _, kv := range append(image.Env, pairs(p.c.Env)...) {
		if value, found := strings.CutPrefix(kv, "PATH="); found {
			dirs = value
		}
	}
	var all []string
	for dir := range strings.SplitSeq(dirs, ":") {
		if path.IsAbs(dir) {
			all = append(all, path.Join(dir, program))
		}
	}
	return all
}

// has looks at this machine for what is mounted from it.
func (p *container) has(ctx context.Context, e *engine.Engine, host Env, name, at string) (bool, error) {
	for _, text := range p.c.Mounts {
		m, err := parseMount(text)
		if err != nil {
			return false, err
		}
		if rest, found := strings.CutPrefix(at, strings.TrimSuffix(m.inside, "/")+"/"); found {
			_, err := os.Stat(path.Join(hostPath(host.Place(), m.here), rest))
			return err == nil, nil
		}
	}
	return e.Has(ctx, name, at)
}
