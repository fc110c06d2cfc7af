package engine

import (
	"context"
	"errors"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

// createVolumes makes the volumes of a container on Podman, which would make them
// with it, but without their labels. Those that are there it leaves alone.
func (e *Engine) createVolumes(ctx context.Context, c Container) error {
	if !e.Podman {
		return nil
	}
	for _, m := range c.Mounts {
		if !m.Volume {
			continue
		}
		_, err := e.c.VolumeCreate(ctx, volume.CreateOptions{Name: m.Source, Labels: c.Labels})
		if err != nil {
			return wrap(err, "create volume %s", m.Source)
		}
	}
	return nil
}

// RemoveVolume removes it and looks that it is gone. One that is not there is no
// error.
func (e *Engine) RemoveVolume(ctx context.Context, name string) error {
	if err := e.c.VolumeRemove(ctx, name, false); err != nil && !errdefs.IsNotFound(err) {
		return wrap(err, "remove volume %s", name)
	}
	there, err := e.HasVolume(ctx, name)
	if err == nil && there {
		err = errors.New("remove volume " + name + ": it is still there")
	}
	return err
}

// HasVolume reports whether the volume is there.
func (e *Engine) HasVolume(ctx context.Context, name string) (bool, error) {
	_, err := e.c.VolumeInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, wrap(err, "look for volume %s", name)
}

// Volumes are all that have the label.
func (e *Engine) Volumes(ctx context.Context, label string) ([]Found, error) {
	list, err := e.c.VolumeList(ctx, volume.ListOptions{Filters: filters.NewArgs(filters.Arg("label", label))})
	if err != nil {
		return nil, wrap(err, "list volumes")
	}
	var all []Found
	for _, v := range list.Volumes {
		if v != nil {
			all = append(all, Found{Name: v.Name, Labels: v.Labels})
		}
	}
	return all, nil
}

// HasNetwork reports whether the engine has a network of that name.
func (e *Engine) HasNetwork(ctx context.Context, name string) (bool, error) {
	list, err := e.c.NetworkList(ctx, network.ListOptions{Filters: filters.NewArgs(filters.Arg("name", name))})
	if err != nil {
		return false, wrap(err, "look for network %s", name)
	}
	for _, n := range list {
		if n.Name == name {
			return true, nil
		}
	}
	return false, nil
}
