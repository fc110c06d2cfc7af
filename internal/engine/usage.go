package engine

import (
	"context"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/image"
)

// A Usage is what things take on the engine's disk, in bytes, by name: of a
// container what was written in it beside its volumes, of an image what no other
// has. What the engine cannot weigh is missing.
type Usage struct {
	Containers, Volumes, Images map[string]int64
}

// Usage has the engine weigh all that it has, ours or not: no call of its API
// weighs some volumes alone. It walks its disk for that; an engine that is asked
// twice at a time refuses the second.
func (e *Engine) Usage(ctx context.Context) (Usage, error) {
	du, err := e.c.DiskUsage(ctx, types.DiskUsageOptions{
		Types: []types.DiskUsageObject{types.ContainerObject, types.VolumeObject, types.ImageObject},
	})
	if err != nil {
		return Usage{}, wrap(err, "ask engine %s what its things take on disk", e.host)
	}
	u := Usage{Containers: map[string]int64{}, Volumes: map[string]int64{}, Images: map[string]int64{}}
	for _, c := range du.Containers {
		if c != nil && c.SizeRw >= 0 {
			u.Containers[nameOf(c.ID, c.Names)] = c.SizeRw
		}
	}
	for _, v := range du.Volumes {
		if v != nil && v.UsageData != nil && v.UsageData.Size >= 0 {
			u.Volumes[v.Name] = v.UsageData.Size
		}
	}
	for _, i := range du.Images {
		if i != nil && i.Size >= 0 {
			u.Images[tagOf(*i)] = max(0, i.Size-max(0, i.SharedSize))
		}
	}
	return u, nil
}

// tagOf is what an image is called; its id where it has no name.
func tagOf(i image.Summary) string {
	if len(i.RepoTags) > 0 && i.RepoTags[0] != "<none>:<none>" {
		return i.RepoTags[0]
	}
	return i.ID
}
