package plug

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/engine"
)

// A container is a Docker container for each environment, with a volume for its
// home. It is named after the environment, so that nothing has to be remembered
// to find it; what is remembered in Scope.Dir says on which engine it is. A
// pause stops it, with all that was installed in it.
type container struct {
	c containerConfig
	// build makes the image, if it is not one to be named. Nil: c says.
	build func(context.Context, *containerBuilder) (string, error)
	// volumes are more directories inside that last as long as the environment.
	volumes []string
	// home is held while the checkout comes home from its volume.
	home sync.Mutex
}

var (
	_ Plug     = (*container)(nil)
	_ Pauser   = (*container)(nil)
	_ Saver    = (*container)(nil)
	_ Bringer  = (*container)(nil)
	_ Lister   = (*container)(nil)
	_ Weigher  = (*container)(nil)
	_ Reacher  = (*container)(nil)
	_ Isolator = (*container)(nil)
)

func newContainer(c containerConfig) (Plug, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &container{c: c}, nil
}

// The labels of everything that is made.
const (
	labelEnvironment = "dev.blaise.environment"
	labelSession     = "dev.blaise.session"
	labelPlug        = "dev.blaise.plug"
	labelMachine     = "dev.blaise.machine"
	labelSettings    = "dev.blaise.settings"
)

func containerLabels(s Scope) map[string]string {
	return map[string]string{
		labelEnvironment: s.Environment, labelSession: s.Session, labelPlug: s.ID,
		labelMachine: string(s.Machine),
	}
}

// containerName is what the container is called, and how the names of its
// volumes begin.
func containerName(s Scope) string { return "blaise-" + s.Environment + "-" + s.ID }

// Reach is what the file says: an engine may serve several machines.
func (p *container) Reach() blaise.Reach { return blaise.Reach(p.c.Reach) }

// Isolates says that nothing of the outer place is seen inside but Dir.
func (p *container) Isolates() bool { return true }

// Open starts the container, or makes it. One that still runs is stopped first:
// what an earlier run left in it ends so.
func (p *container) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	switch {
	case !onHost(outer):
		return nil, errors.New("container must come before plugs that leave this machine")
	case outer == s.Host:
		return nil, errors.New("container needs a directory to work in: put worktree or local before it")
	}
	e, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	env, err := p.open(ctx, s, e, outer)
	if err != nil {
		e.Close()
		return nil, err
	}
	return env, nil
}

func (p *container) open(ctx context.Context, s Scope, e *engine.Engine, outer Env) (Env, error) {
	m, err := loadContainer(s.Dir)
	if err == nil {
		err = m.here(e)
	}
	if err != nil {
		return nil, err
	}
	b, err := p.builder(s, e, outer.Place())
	if err != nil {
		return nil, err
	}
	found, err := e.Look(ctx, b.name)
	switch gone := errors.Is(err, engine.ErrNotFound); {
	case err != nil && !gone:
		return nil, err
	case gone && s.Opened:
		return nil, fmt.Errorf("open container %s: %w", b.name, ErrGone)
	case !s.Opened: // nobody has worked in what is there
		err = b.make(ctx, !gone || m != nil)
	default:
		err = b.takeUp(ctx, found, m)
	}
	if err != nil {
		return nil, err
	}
	return b.env(outer)
}

func (p *container) dial(ctx context.Context) (*engine.Engine, error) {
	e, err := engine.Dial(ctx, p.c.Engine)
	if err != nil {
		return nil, err
	}
	e.Remote = e.Remote || p.c.Remote
	return e, nil
}

// Pause stops the container. What was not made, or is gone, needs no stop.
func (p *container) Pause(ctx context.Context, s Scope) error {
	return p.with(ctx, s, func(e *engine.Engine, m *containerMade) error {
		err := e.Stop(ctx, containerName(s))
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		return err
	})
}

// with does something where the container was made, unless none was.
func (p *container) with(
	ctx context.Context, s Scope, do func(*engine.Engine, *containerMade) error,
) error {
	m, err := loadContainer(s.Dir)
	if err != nil {
		return err
	}
	if m == nil && !s.Opened {
		return nil
	}
	e, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := m.here(e); err != nil {
		return err
	}
	return do(e, m)
}

// Destroy removes the container and its volumes, and looks.
func (p *container) Destroy(ctx context.Context, s Scope) error {
	m, err := loadContainer(s.Dir)
	if err != nil {
		return err
	}
	e, err := p.dial(ctx)
	if errors.Is(err, engine.ErrUnreachable) && m == nil && !s.Opened {
		return nil // nothing is made before it is written down
	}
	if err != nil {
		return err
	}
	defer e.Close()
	if err := m.here(e); err != nil {
		return err
	}
	if err := p.remove(ctx, s, e); err != nil {
		return err
	}
	return removeAll(s.Dir)
}

func (p *container) remove(ctx context.Context, s Scope, e *engine.Engine) error {
	name := containerName(s)
	for _, container := range []string{name, seedOf(name)} {
		if err := e.Remove(ctx, container); err != nil {
			return err
		}
		if err := s.Forget(ctx, blaise.Resource{Kind: kindContainer, Name: container, Where: e.ID}); err != nil {
			return err
		}
	}
	volumes, err := volumesOf(ctx, e, s)
	if err != nil {
		return err
	}
	for _, volume := range volumes {
		if err := e.RemoveVolume(ctx, volume); err != nil {
			return err
		}
		if err := s.Forget(ctx, blaise.Resource{Kind: kindVolume, Name: volume, Where: e.ID}); err != nil {
			return err
		}
	}
	return nil
}

// volumesOf are those that are there and, so that the ledger hears of them,
// those that there may have been.
func volumesOf(ctx context.Context, e *engine.Engine, s Scope) ([]string, error) {
	name := containerName(s)
	all := []string{homeVolume(name), workVolume(name), shimVolume(name)}
	there, err := e.Volumes(ctx, labelEnvironment+"="+s.Environment)
	for _, v := range there {
		if v.Labels[labelPlug] == s.ID && !slices.Contains(all, v.Name) {
			all = append(all, v.Name)
		}
	}
	return all, err
}

// seedOf is the container that fills volumes or an image, and never runs.
func seedOf(name string) string { return name + "-seed" }

const workEnd = "-work"

// HoldsCheckout says that of a container's volumes it is the one with the
// checkout, by its name: the agent works there, and not in the worktree.
func HoldsCheckout(volume string) bool { return strings.HasSuffix(volume, workEnd) }

func homeVolume(name string) string { return name + "-home" }
func workVolume(name string) string { return name + workEnd }
func shimVolume(name string) string { return name + "-shim" }
