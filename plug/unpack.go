package plug

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxUnpacked bounds what a tar stream unpacks to: a few bytes can tell of a
// file without end that is one hole.
const maxUnpacked = 256 << 30

// unpackDir writes a tar stream into root. It was packed where an agent worked:
// nothing leaves root, no device is made, nothing is executable as another
// user, and what belongs to whom is not kept. It ends before the disk is full.
func unpackDir(root *os.Root, r io.Reader) error {
	size := int64(0)
	for t := tar.NewReader(&roomy{Reader: r, dir: root.Name()}); ; {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		name := path.Clean(strings.TrimPrefix(h.Name, "/"))
		if name == "." {
			continue
		}
		if size += h.Size; size > maxUnpacked || size < 0 {
			return fmt.Errorf("unpack %q: that is more than %d GB in all, holes and all", h.Name, maxUnpacked>>30)
		}
		if err := unpackOne(root, name, h, t); err != nil {
			return fmt.Errorf("unpack %q: %w", h.Name, err)
		}
	}
}

func unpackOne(root *os.Root, name string, h *tar.Header, r io.Reader) error {
	if up := path.Dir(name); up != "." {
		if err := root.MkdirAll(up, 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(h.Mode) & fs.ModePerm
	switch h.Typeflag {
	case tar.TypeDir:
		if err := root.MkdirAll(name, 0o755); err != nil {
			return err
		}
		return root.Chmod(name, mode|0o700) // or nothing could be put into it
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeLink:
		return root.Link(path.Clean(strings.TrimPrefix(h.Linkname, "/")), name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o600)
		if err != nil {
			return err
		}
		err = errors.Join(writeSparse(f, r, h.Size), f.Close())
		if err == nil {
			err = root.Chtimes(name, h.ModTime, h.ModTime)
		}
		return err
	}
	return nil // a device, a pipe
}

// writeSparse writes size bytes into an empty file, and leaves out what is zero:
// a stream does not say where a file has holes, and they are to take no room.
func writeSparse(f *os.File, r io.Reader, size int64) error {
	buf := make([]byte, min(size, 64<<10))
	for left := size; left > 0; {
		part := buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(r, part); err != nil {
			return err
		}
		left -= int64(len(part))
		var err error
		if len(bytes.TrimLeft(part, "\x00")) == 0 {
			_, err = f.Seek(int64(len(part)), io.SeekCurrent)
		} else {
			_, err = f.Write(part)
		}
		if err != nil {
			return err
		}
	}
	return f.Truncate(size)
}
