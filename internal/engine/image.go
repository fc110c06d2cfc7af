package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/image"
)

// An Image is one that the engine has.
type Image struct {
	ID   string
	User string // that it is to run as; "" is root
	Env  []string

	Volumes []string // directories that it makes volumes of
}

// Image finds an image, or answers ErrNotFound.
func (e *Engine) Image(ctx context.Context, ref string) (Image, error) {
	i, err := e.c.ImageInspect(ctx, ref)
	if err != nil {
		return Image{}, wrap(err, "look for image %s", ref)
	}
	found := Image{ID: i.ID}
	if i.Config != nil {
		found.User, found.Env = i.Config.User, i.Config.Env
		found.Volumes = slices.Collect(maps.Keys(i.Config.Volumes))
	}
	return found, nil
}

// A Progress is how far a pull or a build has come.
type Progress struct {
	What        string
	Done, Total int64 // bytes, or 0
}

// Pull fetches an image. Progress is told of every line that the engine says.
func (e *Engine) Pull(ctx context.Context, ref string, progress func(Progress)) error {
	r, err := e.c.ImagePull(ctx, ref, image.PullOptions{})
	if err != nil {
		return wrap(err, "pull image %s", ref)
	}
	defer r.Close()
	layers := map[string]message{}
	err = follow(r, func(m message) {
		layers[m.ID] = m
		p := Progress{What: m.Status}
		for _, l := range layers {
			p.Done += l.Detail.Current
			p.Total += l.Detail.Total
		}
		progress(p)
	})
	if err != nil {
		return fmt.Errorf("pull image %s: %w", ref, spaceHint(err))
	}
	return nil
}

// A Build says what to make an image of: a Dockerfile in a tar stream.
type Build struct {
	Tag        string
	Context    io.Reader
	Dockerfile string
	Target     string
	Args       map[string]string
	Labels     map[string]string
}

// Build makes an image. The error of a step that failed ends with the last
// lines of what the build had said.
func (e *Engine) Build(ctx context.Context, b Build, progress func(Progress)) error {
	resp, err := e.c.ImageBuild(ctx, b.Context, build.ImageBuildOptions{
		Tags: []string{b.Tag}, Dockerfile: b.Dockerfile, Target: b.Target, BuildArgs: pointers(b.Args),
		Labels: b.Labels, Remove: true, ForceRemove: true,
	})
	if err != nil {
		return wrap(err, "build image from %s", b.Dockerfile)
	}
	defer resp.Body.Close()
	var said []string
	err = follow(resp.Body, func(m message) {
		for line := range strings.Lines(m.Stream) {
			if line = strings.TrimSpace(line); line != "" {
				said = append(said[max(0, len(said)-19):], line)
				progress(Progress{What: line})
			}
		}
	})
	if err != nil {
		return fmt.Errorf("build image from %s: %w; the build said last:\n%s",
			b.Dockerfile, spaceHint(err), strings.Join(said, "\n"))
	}
	return nil
}

// A message is one line of what an engine says while it works.
type message struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Stream string `json:"stream"`
	Error  string `json:"error"`
	Detail struct {
		Current int64 `json:"current"`
		Total   int64 `json:"total"`
	} `json:"progressDetail"`
}

func follow(r io.Reader, heard func(message)) error {
	for d := json.NewDecoder(r); ; {
		var m message
		err := d.Decode(&m)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Error != "":
			return errors.New(m.Error)
		}
		heard(m)
	}
}

func spaceHint(err error) error {
	if strings.Contains(err.Error(), "no space left") {
		return fmt.Errorf("%w: the engine's disk is full: make room with docker system prune", err)
	}
	return err
}

func pointers(m map[string]string) map[string]*string {
	all := map[string]*string{}
	for k, v := range m {
		all[k] = &v
	}
	return all
}
