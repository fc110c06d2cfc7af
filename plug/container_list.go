package plug

import (
	"context"
	"errors"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/engine"
)

// What an engine has of ours.
const (
	kindContainer = blaise.ResourceContainer
	kindVolume    = blaise.ResourceVolume
	kindImage     = "image"
)

// List finds the containers and volumes with our labels.
func (p *container) List(ctx context.Context, _ Env) ([]blaise.Resource, error) {
	e, err := engine.Dial(ctx, p.c.Engine)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	containers, err := e.Containers(ctx, labelEnvironment)
	if err != nil {
		return nil, err
	}
	var found []blaise.Resource
	for _, c := range containers {
		found = append(found, labelled(kindContainer, c, e))
	}
	volumes, err := e.Volumes(ctx, labelEnvironment)
	for _, v := range volumes {
		found = append(found, labelled(kindVolume, v, e))
	}
	images, imagesErr := e.Images(ctx, labelBuilt)
	for _, i := range images {
		found = append(found, blaise.Resource{
			Kind: kindImage, Name: i.Name, Where: e.ID, Kept: "new containers are made of it",
		})
	}
	return found, errors.Join(err, imagesErr)
}

func labelled(kind string, f engine.Found, e *engine.Engine) blaise.Resource {
	return blaise.Resource{
		Plug: f.Labels[labelPlug], Kind: kind, Name: f.Name, Where: e.ID,
		Environment: blaise.EnvironmentID(f.Labels[labelEnvironment]),
		Machine:     blaise.MachineID(f.Labels[labelMachine]),
	}
}

// Weigh asks the engine that the plug is for, if one of the things is on it.
func (p *container) Weigh(ctx context.Context, things []blaise.Resource) (map[blaise.Resource]int64, error) {
	if !slices.ContainsFunc(things, onSomeEngine) {
		return nil, nil
	}
	e, err := engine.Dial(ctx, p.c.Engine)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	here := func(r blaise.Resource) bool { return onSomeEngine(r) && r.Where == e.ID }
	if !slices.ContainsFunc(things, here) {
		return nil, nil
	}
	used, err := e.Usage(ctx)
	if err != nil {
		return nil, err
	}
	takes := map[string]map[string]int64{
		kindContainer: used.Containers, kindVolume: used.Volumes, kindImage: used.Images,
	}
	weights := map[blaise.Resource]int64{}
	for _, r := range things {
		if bytes, ok := takes[r.Kind][r.Name]; ok && here(r) {
			weights[r] = bytes
		}
	}
	return weights, nil
}

func onSomeEngine(r blaise.Resource) bool {
	return r.Kind == kindContainer || r.Kind == kindVolume || r.Kind == kindImage
}
