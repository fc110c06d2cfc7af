package plug

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/shim/jail"
)

// A sandbox confines what runs further in to the workspace, a home and a
// network of its choice. It makes nothing that lasts but a home, a directory
// for temporary files and a control group; all of them carry the environment's
// name. What the place allows it to enforce is found by trying, there.
type sandbox struct {
	c     sandboxConfig
	proxy *sandboxProxy // nil unless it runs
}

var (
	_ Plug     = (*sandbox)(nil)
	_ Pauser   = (*sandbox)(nil)
	_ Isolator = (*sandbox)(nil)
	_ Checker  = (*sandbox)(nil)
)

// Isolates says that a repository must be whole in its directory.
func (b *sandbox) Isolates() bool { return true }

// proxyPort is where a sandbox with a network of its own finds its proxy.
const proxyPort = 3128

// Open makes the sandbox around outer. Every command gets one of its own; what
// they share is the file system.
func (b *sandbox) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	if place := outer.Place(); place.OS != "linux" {
		return nil, fmt.Errorf("open sandbox: there is none on %s: take it out, or put a container before it", place.OS)
	}
	dirs, err := b.makeDirs(ctx, s, outer)
	if err != nil {
		return nil, err
	}
	spec := b.spec(s, outer, dirs)
	if err := b.closeProxy(); err != nil { // a second Open of this process
		return nil, err
	}
	if spec.Network == jail.NetworkProxy {
		if b.proxy, err = openProxy(ctx, s, outer, dirs.base, b.c.Network.Allow); err != nil {
			return nil, err
		}
		spec.Socket, spec.Port = b.proxy.socket, proxyPort
	}
	found, err := b.probe(ctx, outer, &spec)
	if err != nil {
		return nil, err
	}
	if err := b.group(ctx, s, outer, found, &spec); err != nil {
		return nil, err
	}
	walls := found.walls(spec, b.c)
	if err := walls.require(b.c.Require); err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	if !s.Opened || len(walls.missing) > 0 {
		note(s, "%s", walls)
	}
	return &sandboxEnv{outer: outer, spec: spec, keep: b.c.Env}, nil
}

// spec is what every command of the sandbox has in common.
func (b *sandbox) spec(s Scope, outer Env, dirs sandboxDirs) jail.Spec {
	place := outer.Place()
	spec := jail.Spec{
		Work: place.Dir, Home: dirs.home, Tmp: dirs.tmp, Etc: filepath.Join(dirs.base, etcName), Shim: place.Shim,
		Network: b.c.Network.mode(), PIDs: b.c.PIDs, Nonce: rand.Text(),
	}
	if b.c.Driver != driverAuto {
		spec.Driver = b.c.Driver
	}
	for _, p := range b.c.Read {
		spec.Read = append(spec.Read, hostPath(place, p))
	}
	for _, p := range b.c.Write {
		spec.Write = append(spec.Write, hostPath(place, p))
	}
	spec.Read = append(spec.Read, place.Needs...)
	if onHost(outer) {
		spec.Hide = append(spec.Hide, s.Private...)
		if program, err := os.Executable(); err == nil { // the demo agent is part of it
			spec.Read = append(spec.Read, program)
		}
	}
	for _, name := range secretPlaces {
		spec.Hide = append(spec.Hide, filepath.Join(place.Home, name))
	}
	return spec
}

// Pause ends the proxy; the rest has ended with its commands.
func (b *sandbox) Pause(context.Context, Scope) error { return b.closeProxy() }

func (b *sandbox) closeProxy() error {
	p := b.proxy
	b.proxy = nil
	if p == nil {
		return nil
	}
	return p.close()
}

// Destroy removes the home and the control group, and looks that they are gone.
func (b *sandbox) Destroy(ctx context.Context, s Scope) error {
	if err := b.closeProxy(); err != nil {
		return err
	}
	if err := dropGroup(ctx, s); err != nil {
		return err
	}
	for _, name := range []string{homeName, tmpName, etcName, etcName + ".new", socketName} {
		if err := removeAll(filepath.Join(s.Dir, name)); err != nil {
			return err
		}
	}
	return s.Forget(ctx, homeResource(s))
}

func homeResource(s Scope) blaise.Resource {
	return blaise.Resource{Kind: "directory", Name: filepath.Join(s.Dir, homeName)}
}

// The names of what the sandbox keeps in Scope.Dir, or in the outer place.
const (
	homeName   = "home"
	tmpName    = "tmp"
	etcName    = "etc"
	socketName = "proxy.sock"
	groupName  = "group"
)
