package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/strslice"
)

// A Container says what to make. Zero limits are none.
type Container struct {
	Name, Image  string
	User         string // as the image has it if empty
	Dir          string
	Command      []string // in place of the image's entry point
	Network      string
	Runtime      string
	Labels       map[string]string
	Mounts       []Mount
	CPUs         float64
	Memory       int64 // bytes
	PIDs         int64
	ReadOnlyRoot bool
	DropCaps     []string
	NewPrivs     bool // setuid programs gain privileges
}

// A Mount is a directory of the engine's machine, or a named volume.
type Mount struct {
	Volume   bool
	Source   string
	Target   string
	ReadOnly bool
}

// A Found is a container or a volume that is there.
type Found struct {
	Name    string
	Running bool
	Labels  map[string]string
}

// Create makes the container, and its volumes with the same labels; it does not
// run yet.
func (e *Engine) Create(ctx context.Context, c Container) error {
	if err := e.createVolumes(ctx, c); err != nil {
		return err
	}
	_, err := e.c.ContainerCreate(ctx, &container.Config{
		Image: c.Image, User: c.User, WorkingDir: c.Dir, Labels: c.Labels,
		Entrypoint: strslice.StrSlice(c.Command), Cmd: strslice.StrSlice{},
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, // its probes count as processes
	}, c.host(), nil, nil, c.Name)
	return wrap(err, "create container %s", c.Name)
}

func (c Container) host() *container.HostConfig {
	h := &container.HostConfig{
		NetworkMode: container.NetworkMode(c.Network), Runtime: c.Runtime,
		ReadonlyRootfs: c.ReadOnlyRoot, CapDrop: strslice.StrSlice(c.DropCaps),
		LogConfig: container.LogConfig{Type: "none"},
		Resources: container.Resources{NanoCPUs: int64(c.CPUs * 1e9), Memory: c.Memory, MemorySwap: c.Memory},
	}
	if c.PIDs > 0 {
		h.PidsLimit = &c.PIDs
	}
	if !c.NewPrivs {
		h.SecurityOpt = []string{"no-new-privileges"}
	}
	if c.ReadOnlyRoot {
		h.Tmpfs = map[string]string{"/tmp": "mode=1777", "/run": "mode=755"}
	}
	for _, m := range c.Mounts {
		kind := mount.TypeBind
		if m.Volume {
			kind = mount.TypeVolume
		}
		made := mount.Mount{Type: kind, Source: m.Source, Target: m.Target, ReadOnly: m.ReadOnly}
		if m.Volume {
			made.VolumeOptions = &mount.VolumeOptions{Labels: c.Labels}
		}
		h.Mounts = append(h.Mounts, made)
	}
	return h
}

// Start starts it; one that runs is left alone.
func (e *Engine) Start(ctx context.Context, name string) error {
	return wrap(e.c.ContainerStart(ctx, name, container.StartOptions{}), "start container %s", name)
}

// Stop stops it, with all that runs in it; one that does not run is left alone.
func (e *Engine) Stop(ctx context.Context, name string) error {
	grace := 5
	return wrap(e.c.ContainerStop(ctx, name, container.StopOptions{Timeout: &grace}), "stop container %s", name)
}

// Remove removes it, running or not, and returns when a look finds nothing. One
// that is not there is no error.
func (e *Engine) Remove(ctx context.Context, name string) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := e.c.ContainerRemove(ctx, name, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) { // a removal is on its way
			return wrap(err, "remove container %s", name)
		}
		if _, err := e.Look(ctx, name); errors.Is(err, ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("remove container %s: it is still there: %w", name, context.Cause(ctx))
		}
	}
}

// Look finds a container, or answers ErrNotFound.
func (e *Engine) Look(ctx context.Context, name string) (Found, error) {
	c, err := e.c.ContainerInspect(ctx, name)
	if err != nil {
		return Found{}, wrap(err, "look for container %s", name)
	}
	return Found{Name: name, Running: c.State.Running, Labels: c.Config.Labels}, nil
}

// Containers are all, running or not, that have the label.
func (e *Engine) Containers(ctx context.Context, label string) ([]Found, error) {
	list, err := e.c.ContainerList(ctx, container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", label)),
	})
	if err != nil {
		return nil, wrap(err, "list containers")
	}
	var all []Found
	for _, c := range list {
		all = append(all, Found{Name: nameOf(c.ID, c.Names), Running: c.State == "running", Labels: c.Labels})
	}
	return all, nil
}

// nameOf is what a container is called; its id where it has no name.
func nameOf(id string, names []string) string {
	if len(names) == 0 {
		return id
	}
	return strings.TrimPrefix(names[0], "/")
}

// CopyIn unpacks a tar stream at dir of the container, running or not. Owners
// are those of the stream.
func (e *Engine) CopyIn(ctx context.Context, name, dir string, tar io.Reader) error {
	err := e.c.CopyToContainer(ctx, name, dir, tar, container.CopyToContainerOptions{})
	return wrap(err, "copy into container %s", name)
}

// CopyOut packs a path of the container into a tar stream, or answers
// ErrNotFound. Close it.
func (e *Engine) CopyOut(ctx context.Context, name, path string) (io.ReadCloser, error) {
	r, _, err := e.c.CopyFromContainer(ctx, name, path)
	return r, wrap(err, "copy %s out of container %s", path, name)
}

// Has reports whether the container has the path.
func (e *Engine) Has(ctx context.Context, name, path string) (bool, error) {
	_, err := e.c.ContainerStatPath(ctx, name, path)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, wrap(err, "look for %s in container %s", path, name)
}
