package plug

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"blaise.dev/blaise/internal/engine"
)

// fill puts into the new container what it begins with: the shim, the home with
// the files that blaise.yml names (unless a ready image brings both), and the
// checkout where that is a volume.
func (b *containerBuilder) fill(ctx context.Context, spec engine.Container) error {
	if b.stand == nil {
		err := b.findUser(ctx)
		if err == nil {
			err = b.begin(ctx, spec)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !b.made.Volume:
		return b.lend()
	case spec.ReadOnlyRoot:
		return nil // begin filled all volumes
	}
	return b.fillWork(ctx, b.name)
}

// fillWork copies the checkout into its volume, and the directory itself with
// it: Docker would leave that to root if it were copied into.
func (b *containerBuilder) fillWork(ctx context.Context, name string) error {
	dir, prefix := "/", b.p.c.Workdir[1:]
	if b.e.Podman { // which would write it to the root, beside the volume
		dir, prefix = b.p.c.Workdir, "."
	}
	err := b.copyIn(ctx, name, dir, func(w io.Writer) error {
		return packDir(w, b.outer.Dir, packing{prefix: prefix, uid: b.made.UID, gid: b.made.GID})
	})
	if err != nil {
		return fmt.Errorf("copy checkout into volume: %w", err)
	}
	return nil
}

// copyIn streams what pack writes into a directory of a container.
func (b *containerBuilder) copyIn(ctx context.Context, name, dir string, pack func(io.Writer) error) error {
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := pack(w)
		w.CloseWithError(err)
		packed <- err
	}()
	err := b.e.CopyIn(ctx, name, dir, r)
	r.Close() // ends the packing, if the engine gave up
	if perr := <-packed; perr != nil && !errors.Is(perr, io.ErrClosedPipe) {
		return perr
	}
	return err
}

// copyBeginning copies in the home and the shim, in one stream: an engine takes
// its time over each.
func (b *containerBuilder) copyBeginning(ctx context.Context, name string) error {
	return b.copyIn(ctx, name, "/", packed(func(t *tar.Writer, at string) error {
		return errors.Join(b.packHome(t, b.p.c.Home[1:]), b.packShim(t, at))
	}, "/"))
}

// fillVolumes does the same where both are volumes. Podman would write what is
// copied to the root beside them; Docker would leave the home to root.
func (b *containerBuilder) fillVolumes(ctx context.Context, name string) error {
	if !b.e.Podman {
		return b.copyBeginning(ctx, name)
	}
	home := packed(func(t *tar.Writer, _ string) error { return b.packHome(t, "") }, "")
	return errors.Join(b.copyIn(ctx, name, b.p.c.Home, home),
		b.copyIn(ctx, name, shimRoot, packed(b.packShim, shimRoot)))
}

// begin copies in what the container begins with. Where the root cannot be
// written they are volumes, which another container fills that never runs.
func (b *containerBuilder) begin(ctx context.Context, spec engine.Container) error {
	if !spec.ReadOnlyRoot {
		return filled(b.copyBeginning(ctx, b.name))
	}
	spec.Name, spec.ReadOnlyRoot = seedOf(b.name), false
	if err := b.create(ctx, spec); err != nil {
		return err
	}
	if err := filled(b.fillVolumes(ctx, spec.Name)); err != nil {
		return err
	}
	if b.made.Volume {
		if err := b.fillWork(ctx, spec.Name); err != nil {
			return err
		}
	}
	return b.dropSeed(ctx)
}

func filled(err error) error {
	if err != nil {
		return fmt.Errorf("fill container: %w", err)
	}
	return nil
}

// bringShim copies the shim in, unless it is there. It is copied, never
// mounted: it is to be there whatever happens to the runner's own files.
func (b *containerBuilder) bringShim(ctx context.Context) error {
	there, err := b.e.Has(ctx, b.name, b.shim.inside)
	if err != nil || there {
		return err
	}
	at := "/"
	if b.p.c.ReadOnly {
		at = shimRoot // the rest cannot be written
	}
	if err := b.copyIn(ctx, b.name, at, packed(b.packShim, at)); err != nil {
		return fmt.Errorf("copy shim: %w", err)
	}
	return nil
}

// packed makes a tar stream of what pack writes for the directory at.
func packed(pack func(t *tar.Writer, at string) error, at string) func(io.Writer) error {
	return func(w io.Writer) error {
		t := tar.NewWriter(w)
		return errors.Join(pack(t, at), t.Close())
	}
}

func (b *containerBuilder) packShim(t *tar.Writer, at string) error {
	program, err := os.ReadFile(b.shim.path)
	if err != nil {
		return fmt.Errorf("read shim: %w", err)
	}
	name := strings.TrimPrefix(strings.TrimPrefix(b.shim.inside, at), "/")
	return errors.Join(packDirs(t, "", path.Dir(name), tar.Header{Mode: 0o755}),
		packBytes(t, tar.Header{Name: name, Mode: 0o755}, program))
}

// packHome writes the home directory itself, so that it belongs to who works
// inside, and the files of blaise.yml.
func (b *containerBuilder) packHome(t *tar.Writer, at string) error {
	uid, gid := b.made.UID, b.made.GID
	err := t.WriteHeader(&tar.Header{
		Typeflag: tar.TypeDir, Name: "./" + at + "/", Mode: 0o755, Uid: uid, Gid: gid,
	})
	if err != nil {
		return err
	}
	for _, text := range b.p.c.Files {
		here, inside, ok := strings.Cut(text, ":")
		inside = strings.TrimPrefix(strings.TrimPrefix(inside, b.p.c.Home), "~")
		name := strings.TrimPrefix(path.Clean("/"+inside), "/")
		if !ok || name == "" {
			return fmt.Errorf("files: want HERE:INSIDE, a path in the home, not %q", text)
		}
		data, err := os.ReadFile(hostPath(b.s.Host.Place(), here))
		if err != nil {
			return fmt.Errorf("files: %w", err)
		}
		if err := packDirs(t, at, path.Dir(name), tar.Header{Mode: 0o700, Uid: uid, Gid: gid}); err != nil {
			return err
		}
		if err := packBytes(t, tar.Header{Name: path.Join(at, name), Mode: 0o600, Uid: uid, Gid: gid}, data); err != nil {
			return err
		}
	}
	return nil
}

// dirsOf are the directories of a relative path, the outermost first.
func dirsOf(dir string) (all []string) {
	made := ""
	for part := range strings.SplitSeq(dir, "/") {
		if part != "." && part != "" {
			made = path.Join(made, part)
			all = append(all, made)
		}
	}
	return all
}

// packDirs writes the directories of a path for somebody.
func packDirs(t *tar.Writer, at, dir string, who tar.Header) error {
	for _, d := range dirsOf(dir) {
		h := who
		h.Typeflag, h.Name = tar.TypeDir, path.Join(at, d)+"/"
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
	}
	return nil
}

func packBytes(t *tar.Writer, h tar.Header, data []byte) error {
	h.Size = int64(len(data))
	if err := t.WriteHeader(&h); err != nil {
		return err
	}
	_, err := io.Copy(t, bytes.NewReader(data))
	return err
}
