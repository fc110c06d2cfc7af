package engine

import (
	"context"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

// Commit makes an image of what is in the container, with the container's
// labels.
func (e *Engine) Commit(ctx context.Context, name, tag string) error {
	_, err := e.c.ContainerCommit(ctx, name, container.CommitOptions{
		Reference: tag, Config: &container.Config{}, // what is missing is the container's; Podman fails without
	})
	return wrap(err, "make image %s", tag)
}

// Images are all that have the label; the name is the id where there is none.
func (e *Engine) Images(ctx context.Context, label string) ([]Found, error) {
	list, err := e.c.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", label))})
	if err != nil {
		return nil, wrap(err, "list images")
	}
	var all []Found
	for _, i := range list {
		all = append(all, Found{Name: tagOf(i), Labels: i.Labels})
	}
	return all, nil
}

// RemoveUnusedImage removes an image that no container is made of; one that is
// in use, or is not there, is left alone.
func (e *Engine) RemoveUnusedImage(ctx context.Context, ref string) error {
	_, err := e.c.ImageRemove(ctx, ref, image.RemoveOptions{PruneChildren: true})
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) {
		return nil
	}
	return wrap(err, "remove image %s", ref)
}
