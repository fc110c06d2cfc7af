package plug

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/engine"
)

// A containerBuilder makes one container, or takes it up.
type containerBuilder struct {
	p     *container
	s     Scope
	e     *engine.Engine
	name  string
	outer Place
	shim  shimFile
	made  *containerMade
	found engine.Image
	stand *readyImage // what is used in the place of found, if anything
}

func (p *container) builder(s Scope, e *engine.Engine, outer Place) (*containerBuilder, error) {
	shim, err := findShim(p.c.Shim, s.Host.Place(), e.Arch)
	if err != nil {
		return nil, err
	}
	return &containerBuilder{
		p: p, s: s, e: e, name: containerName(s), outer: outer, shim: shim,
		made: &containerMade{
			Engine: e.ID, Host: e.Host(), Outer: outer.Dir, Volume: e.Remote,
			UID: os.Getuid(), GID: os.Getgid(),
		},
	}, nil
}

// checkOuter refuses to bring an agent's files home into a directory that is
// not the runner's own: there the user's git would believe them.
func (b *containerBuilder) checkOuter() error {
	if _, ours := below(filepath.Dir(b.s.Dir), b.outer.Dir); b.made.Volume && !ours {
		return fmt.Errorf("the engine does not see this machine's files, and %s is not the runner's own: "+
			"put a worktree without dir before the container", b.outer.Dir)
	}
	return nil
}

// make makes it anew; clear says that something unfinished may be there.
func (b *containerBuilder) make(ctx context.Context, clear bool) error {
	spec, err := b.spec(ctx)
	if err != nil {
		return err
	}
	if b.e.Boundless {
		note(b.s, "cpus, memory and pids of container %s are not enforced: a rootless Podman can do that with cgroups v2 alone", b.name)
	}
	if clear {
		if err := b.p.remove(ctx, b.s, b.e); err != nil {
			return err
		}
	}
	if err := b.intend(ctx, spec); err != nil {
		return err
	}
	if err := b.createOfReady(ctx, spec); err != nil {
		return err
	}
	if err := b.fill(ctx, spec); err != nil {
		return err
	}
	if err := b.e.Start(ctx, b.name); err != nil {
		return err
	}
	b.made.Whole = true
	return b.made.save(b.s.Dir)
}

// createLimit is how long an engine may take to create, cancelled or not.
const createLimit = time.Minute

// create waits for the engine though ctx ends: it would go on by itself, and
// what it makes after a teardown has looked would stay.
func (b *containerBuilder) create(ctx context.Context, spec engine.Container) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createLimit)
	defer cancel()
	return b.e.Create(ctx, spec)
}

// takeUp starts what an earlier run left, with the shim of this one.
func (b *containerBuilder) takeUp(ctx context.Context, found engine.Found, m *containerMade) error {
	if m != nil {
		b.made = m
	}
	b.made.Outer = b.outer.Dir
	if found.Running {
		if err := b.e.Stop(ctx, b.name); err != nil {
			return err
		}
	}
	if found.Labels[labelSettings] != b.settings() {
		note(b.s, "container %s stays as it was made: what has changed in blaise.yml since "+
			"counts for new environments", b.name)
	}
	if err := b.bringShim(ctx); err != nil {
		return err
	}
	if err := b.lend(); err != nil {
		return err
	}
	if err := b.e.Start(ctx, b.name); err != nil {
		return err
	}
	b.made.Whole = true
	return b.made.save(b.s.Dir)
}

// settings is a digest of what blaise.yml says of the container.
func (b *containerBuilder) settings() string {
	text, _ := json.Marshal(b.p.c) // strings, numbers, lists of them
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// spec says what to make, after looking at all that can be looked at before
// anything is made.
func (b *containerBuilder) spec(ctx context.Context) (engine.Container, error) {
	c := b.p.c
	if err := errors.Join(b.checkOuter(), b.checkEngine(ctx)); err != nil {
		return engine.Container{}, err
	}
	mounts, err := b.mounts()
	if err != nil {
		return engine.Container{}, err
	}
	image, err := b.image(ctx)
	if err == nil {
		b.found, err = b.fetch(ctx, image)
	}
	if err == nil {
		b.stand, err = b.ready(ctx, image)
	}
	if err != nil {
		return engine.Container{}, err
	}
	if b.stand != nil {
		image = b.stand.tag
	}
	labels := containerLabels(b.s)
	labels[labelSettings] = b.settings()
	memory, err := c.memory()
	return engine.Container{
		Name: b.name, Image: image, User: b.user(), Dir: c.Workdir,
		Command: []string{b.shim.inside, "shim", "idle"},
		Network: c.Network, Runtime: c.Runtime, Labels: labels, Mounts: mounts,
		CPUs: c.CPUs, Memory: memory, PIDs: c.PIDs, ReadOnlyRoot: c.ReadOnly,
		DropCaps: c.CapDrop, NewPrivs: c.Privileges,
	}, err
}

// intend writes down what is about to be made: in the ledger, all at once, for
// it is a round trip away, and only then here. Whom the ledger refuses leaves
// nothing, and what it has is found by its name.
func (b *containerBuilder) intend(ctx context.Context, spec engine.Container) error {
	var g errgroup.Group
	tell := func(kind, name string) {
		g.Go(func() error {
			err := b.s.Intend(ctx, blaise.Resource{Kind: kind, Name: name, Where: b.e.ID})
			if err != nil {
				return fmt.Errorf("enter %s in the ledger: %w", kind, err)
			}
			return nil
		})
	}
	tell(kindContainer, b.name)
	if spec.ReadOnlyRoot || b.stand != nil && !b.stand.made {
		tell(kindContainer, seedOf(b.name))
	}
	for _, m := range spec.Mounts {
		if m.Volume {
			tell(kindVolume, m.Source)
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return b.made.save(b.s.Dir)
}
