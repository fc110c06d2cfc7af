package plug

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/engine"
)

// A readyImage is an image together with what every container of it begins
// with: the shim, and a home of who works inside. It is made once, for engines
// take longer over a copy into a container than over making one.
type readyImage struct {
	tag  string // localhost: Podman would take it for one of a registry otherwise
	key  string // of those that take each other's place
	made bool
}

// labelReady is on ready images, with their key.
const labelReady = "dev.blaise.ready"

// ready finds the image that is to stand in for the one of ref; nil if a copy
// into each container is needed anyway: for files of the home, which belong into
// no image, for a user whose number only the container tells, for a root that
// cannot be written, and where the image itself has a volume for the home.
func (b *containerBuilder) ready(ctx context.Context, ref string) (*readyImage, error) {
	c := b.p.c
	uid, gid, known := b.numbers()
	if !known || c.ReadOnly || len(c.Files) > 0 || hasVolume(b.found, c.Home) {
		return nil, nil
	}
	b.made.UID, b.made.GID = uid, gid
	r := &readyImage{
		tag: "localhost/blaise-ready:" + digest(b.found.ID, b.shim.inside, c.Home, uid, gid),
		key: digest(ref, c.Home, uid, gid),
	}
	_, err := b.e.Image(ctx, r.tag)
	r.made = err == nil
	if errors.Is(err, engine.ErrNotFound) {
		err = nil
	}
	return r, err
}

// readyTries is how often a ready image is made for one container.
const readyTries = 5

// createOfReady creates the container, of an image that is made first where it
// is not there. A runner with another shim may take it away in between, as an
// older one: then it is made again.
func (b *containerBuilder) createOfReady(ctx context.Context, spec engine.Container) error {
	for range readyTries - 1 {
		err := b.tryReady(ctx, spec)
		if b.stand == nil || !errors.Is(err, engine.ErrNotFound) {
			return err
		}
		b.stand.made = false
		if err := b.intend(ctx, spec); err != nil {
			return err
		}
	}
	return b.tryReady(ctx, spec)
}

func (b *containerBuilder) tryReady(ctx context.Context, spec engine.Container) error {
	if b.stand != nil && !b.stand.made {
		if err := b.makeReady(ctx); err != nil {
			return err
		}
	}
	return b.create(ctx, spec)
}

// makeReady makes the ready image out of a container that never runs.
func (b *containerBuilder) makeReady(ctx context.Context) error {
	seed := engine.Container{
		Name: seedOf(b.name), Image: b.found.ID, Command: []string{b.shim.inside},
		Labels: map[string]string{labelBuilt: "1", labelReady: b.stand.key}, // the image has them from it
	}
	if err := b.create(ctx, seed); err != nil {
		return err
	}
	err := b.copyBeginning(ctx, seed.Name)
	if err == nil {
		err = b.e.Commit(ctx, seed.Name, b.stand.tag)
	}
	if err != nil {
		err = fmt.Errorf("make image with shim: %w", err)
	} else if err := b.dropOlder(ctx); err != nil {
		note(b.s, "an image that is no longer needed stays: %v", err)
	}
	return errors.Join(err, b.dropSeed(ctx)) // another try makes one of the same name
}

// dropSeed removes the seed, and takes it out of the ledger: it is not missed.
func (b *containerBuilder) dropSeed(ctx context.Context) error {
	seed := seedOf(b.name)
	if err := b.e.Remove(ctx, seed); err != nil {
		return err
	}
	return b.s.Forget(ctx, blaise.Resource{Kind: kindContainer, Name: seed, Where: b.e.ID})
}

// dropOlder removes the ready images whose place the new one takes: those of an
// older shim, or of what the name of the image meant before. The engine keeps one
// that a container is still made of.
func (b *containerBuilder) dropOlder(ctx context.Context) error {
	older, err := b.e.Images(ctx, labelReady+"="+b.stand.key)
	for _, image := range older {
		if image.Name != b.stand.tag {
			err = errors.Join(err, b.e.RemoveUnusedImage(ctx, image.Name))
		}
	}
	return err
}

// hasVolume says that the image makes a volume of dir, or of what it is in.
func hasVolume(i engine.Image, dir string) bool {
	for _, volume := range i.Volumes {
		if _, inside := below(path.Clean(volume), dir); inside {
			return true
		}
	}
	return false
}

func digest(of ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", of))
	return hex.EncodeToString(sum[:12])
}
