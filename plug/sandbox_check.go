package plug

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Check makes a sandbox around an empty directory and says which of its walls
// stand.
func (b *sandbox) Check(ctx context.Context, host Env) (string, error) {
	dir, err := os.MkdirTemp("", "blaise-check-")
	if err != nil {
		return "", fmt.Errorf("make directory: %w", err)
	}
	defer os.RemoveAll(dir)
	work := dirEnv{outer: host, dir: dir}
	dirs := sandboxDirs{base: dir, home: filepath.Join(dir, homeName), tmp: filepath.Join(dir, tmpName)}
	spec := b.spec(Scope{}, work, dirs)
	network := spec.Network
	spec.Network = "none" // there is no proxy yet
	if network == "host" {
		spec.Network = network
	}
	found, err := b.probe(ctx, work, &spec)
	if err != nil {
		return "", err
	}
	if spec.Network = network; b.c.PIDs > 0 {
		spec.Group = found.Groups
	}
	walls := found.walls(spec, b.c)
	return walls.String(), walls.require(b.c.Require)
}
