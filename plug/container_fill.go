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
// the files that blaise.yml names, and the checkout where that is a volume.
func (b *containerBuilder) fill(ctx context.Context, spec engine.Container) error {
	image, err := b.e.Image(ctx, spec.Image)
	if err != nil {
		return err
	}
	if err := b.findUser(ctx, image.User); err != nil {
		return err
	}
	if err := b.copyIn(ctx, b.p.c.Home, b.packHome); err != nil {
		return fmt.Errorf("fill home: %w", err)
	}
	if err := b.bringShim(ctx); err != nil {
		return err
	}
	if !b.made.Volume {
		return b.lend()
	}
	err = b.copyIn(ctx, b.p.c.Workdir, func(w io.Writer) error {
		return packDir(w, b.outer.Dir, packing{prefix: ".", uid: b.made.UID, gid: b.made.GID})
	})
	if err != nil {
		return fmt.Errorf("copy checkout into volume: %w", err)
	}
	return nil
}

// copyIn streams what pack writes into a directory of the container.
func (b *containerBuilder) copyIn(ctx context.Context, dir string, pack func(io.Writer) error) error {
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := pack(w)
		w.CloseWithError(err)
		packed <- err
	}()
	err := b.e.CopyIn(ctx, b.name, dir, r)
	r.Close() // ends the packing, if the engine gave up
	if perr := <-packed; perr != nil && !errors.Is(perr, io.ErrClosedPipe) {
		return perr
	}
	return err
}

// bringShim copies the shim in, unless it is there. It is copied, never
// mounted: it is to be there whatever happens to the runner's own files.
func (b *containerBuilder) bringShim(ctx context.Context) error {
	there, err := b.e.Has(ctx, b.name, b.shim.inside)
	if err != nil || there {
		return err
	}
	program, err := os.ReadFile(b.shim.path)
	if err != nil {
		return fmt.Errorf("read shim: %w", err)
	}
	at := "/"
	if b.p.c.ReadOnly {
		at = shimRoot // the rest cannot be written
	}
	err = b.copyIn(ctx, at, func(w io.Writer) error {
		t := tar.NewWriter(w)
		name := strings.TrimPrefix(strings.TrimPrefix(b.shim.inside, at), "/")
		return errors.Join(packDirs(t, path.Dir(name), 0, 0, 0o755),
			packBytes(t, tar.Header{Name: name, Mode: 0o755}, program), t.Close())
	})
	if err != nil {
		return fmt.Errorf("copy shim: %w", err)
	}
	return nil
}

// packHome writes the home directory itself, so that it belongs to who works
// inside, and the files of blaise.yml.
func (b *containerBuilder) packHome(w io.Writer) error {
	t := tar.NewWriter(w)
	uid, gid := b.made.UID, b.made.GID
	err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755, Uid: uid, Gid: gid})
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
		if err := packDirs(t, path.Dir(name), uid, gid, 0o700); err != nil {
			return err
		}
		if err := packBytes(t, tar.Header{Name: name, Mode: 0o600, Uid: uid, Gid: gid}, data); err != nil {
			return err
		}
	}
	return t.Close()
}

// packDirs writes the directories of a path, the outermost first.
func packDirs(t *tar.Writer, dir string, uid, gid int, mode int64) error {
	made := ""
	for part := range strings.SplitSeq(dir, "/") {
		if part == "." || part == "" {
			continue
		}
		made = path.Join(made, part)
		h := &tar.Header{Typeflag: tar.TypeDir, Name: made + "/", Mode: mode, Uid: uid, Gid: gid}
		if err := t.WriteHeader(h); err != nil {
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
