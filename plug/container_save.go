package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/engine"
)

// Save brings the checkout home: the layer outside saves it then. It answers no
// save of its own.
func (p *container) Save(ctx context.Context, s Scope, _ Env) (blaise.SavedWork, error) {
	return blaise.SavedWork{}, p.Bring(ctx, s)
}

// Bring brings the checkout home where it lives in a volume. What is inside wins.
func (p *container) Bring(ctx context.Context, s Scope) error {
	p.home.Lock()
	defer p.home.Unlock()
	return p.with(ctx, s, func(e *engine.Engine, m *containerMade) error {
		if m == nil || !m.Volume || !m.Whole {
			return nil
		}
		r, err := e.CopyOut(ctx, containerName(s), p.c.Workdir+"/.")
		if errors.Is(err, engine.ErrNotFound) {
			note(s, "container %s is gone: what was not saved before is lost", containerName(s))
			return nil
		}
		if err != nil {
			return err
		}
		defer r.Close()
		err = comeHome(s, m.Outer, func(root *os.Root) error { return unpackDir(root, r) })
		if err != nil {
			return fmt.Errorf("copy checkout out of volume: %w", err)
		}
		return nil
	})
}

// exchange makes the entries of fresh those of dir. Ended halfway it is made
// whole by the next one: the volume still has everything.
func exchange(dir, fresh, old string) error {
	if err := removeAll(old); err != nil {
		return err
	}
	if err := os.Mkdir(old, 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := moveEntries(dir, old); err != nil {
		return err
	}
	if err := moveEntries(fresh, dir); err != nil {
		return err
	}
	return errors.Join(removeAll(old), os.Remove(fresh))
}

func moveEntries(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
