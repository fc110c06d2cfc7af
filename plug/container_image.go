package plug

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise/internal/engine"
	"blaise.dev/blaise/transcript"
)

// image answers the image to make the container of: one that the engine has,
// can pull, or builds.
func (b *containerBuilder) image(ctx context.Context) (string, error) {
	if b.p.build != nil {
		return b.p.build(ctx, b)
	}
	if b.p.c.Dockerfile != "" {
		return b.buildHere(ctx)
	}
	return b.p.c.Image, nil
}

// fetch finds the image, which is pulled if the engine does not have it.
func (b *containerBuilder) fetch(ctx context.Context, ref string) (engine.Image, error) {
	found, err := b.e.Image(ctx, ref)
	if !errors.Is(err, engine.ErrNotFound) {
		return found, err
	}
	note(b.s, "pulling image %s", ref)
	err = b.e.Pull(ctx, ref, b.progress("pull "+ref))
	if err != nil {
		return engine.Image{}, fmt.Errorf("the engine does not have the image: %w", err)
	}
	return b.e.Image(ctx, ref)
}

// buildHere builds the operator's Dockerfile: a file of this machine, never one
// of the agent's checkout.
func (b *containerBuilder) buildHere(ctx context.Context) (string, error) {
	host := b.s.Host.Place()
	file := hostPath(host, b.p.c.Dockerfile)
	dir := filepath.Dir(file)
	if b.p.c.Context != "" {
		dir = hostPath(host, b.p.c.Context)
	}
	name, inside := below(dir, file)
	if !inside {
		return "", fmt.Errorf("dockerfile: %s is not in the context %s", file, dir)
	}
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("dockerfile: %w", err)
	}
	var packed bytes.Buffer
	if err := packDir(&packed, dir, packing{prefix: "."}); err != nil {
		return "", fmt.Errorf("pack build context %q: %w", dir, err)
	}
	return b.buildOf(ctx, engine.Build{Dockerfile: filepath.ToSlash(name), Context: &packed}, packed.Bytes())
}

// buildOf builds, unless the engine has an image of just that. Images are named
// after what went into them (from is the context, or its name), and stay for the
// next session.
func (b *containerBuilder) buildOf(ctx context.Context, build engine.Build, from []byte) (string, error) {
	sum := sha256.New()
	sum.Write(from)
	fmt.Fprintf(sum, "\x00%s\x00%s\x00%v", build.Dockerfile, build.Target, build.Args)
	build.Tag = "blaise-built:" + hex.EncodeToString(sum.Sum(nil)[:12])
	_, err := b.e.Image(ctx, build.Tag)
	if !errors.Is(err, engine.ErrNotFound) {
		return build.Tag, err
	}
	build.Labels = map[string]string{labelBuilt: "1"}
	note(b.s, "building the image from %s", build.Dockerfile)
	return build.Tag, b.e.Build(ctx, build, b.progress("build"))
}

// labelBuilt is on images, which no environment owns.
const labelBuilt = "dev.blaise.built"

// progress tells the reader of the session, a few times a second at most.
func (b *containerBuilder) progress(what string) func(engine.Progress) {
	var last time.Time
	return func(p engine.Progress) {
		if now := time.Now(); now.Sub(last) > 200*time.Millisecond {
			last = now
			b.s.Note(transcript.New(transcript.KindProgress, map[string]any{
				"plug": b.s.ID, "what": what + ": " + p.What, "done": p.Done, "total": p.Total, "unit": "bytes",
			}))
		}
	}
}

// accounts reads a file of accounts out of the new container.
func (b *containerBuilder) accounts(ctx context.Context, path string) ([]byte, error) {
	r, err := b.e.CopyOut(ctx, b.name, path)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return firstFile(io.LimitReader(r, 4<<20))
}
