package plug

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A packing says how a directory goes into a tar stream.
type packing struct {
	prefix   string // of the names
	uid, gid int    // who is to own it
}

// packDir writes dir into w as a tar stream, links as links. The directory is
// one of the operator's, or one that nobody has worked in.
func packDir(w io.Writer, dir string, how packing) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return packOne(t, file, path.Join(how.prefix, filepath.ToSlash(rel)), how)
	})
	return errors.Join(err, t.Close())
}

func packOne(t *tar.Writer, file, name string, how packing) error {
	st, err := os.Lstat(file)
	if err != nil {
		return err
	}
	link := ""
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		if link, err = os.Readlink(file); err != nil {
			return err
		}
	case !st.IsDir() && !st.Mode().IsRegular():
		return nil // a socket or a pipe
	}
	h, err := tar.FileInfoHeader(st, link)
	if err != nil {
		return err
	}
	// Neither times of access nor names of this machine's users: one tree
	// packs to the same bytes.
	*h = tar.Header{
		Typeflag: h.Typeflag, Name: name, Linkname: link, Size: h.Size,
		Mode: int64(st.Mode().Perm()), ModTime: h.ModTime, Uid: how.uid, Gid: how.gid,
	}
	if st.IsDir() {
		h.Name += "/"
	}
	if err := t.WriteHeader(h); err != nil || !st.Mode().IsRegular() {
		return err
	}
	return packFile(t, file, h.Size)
}

func packFile(w io.Writer, file string, size int64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyN(w, f, size)
	return err
}

// unpackDir writes a tar stream into root. It was packed where an agent worked:
// nothing leaves root, no device is made, nothing is executable as another
// user, and what belongs to whom is not kept.
func unpackDir(root *os.Root, r io.Reader) error {
	for t := tar.NewReader(r); ; {
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
		_, err = io.Copy(f, r)
		err = errors.Join(err, f.Close())
		if err == nil {
			err = root.Chtimes(name, h.ModTime, h.ModTime)
		}
		return err
	}
	return nil // a device, a pipe
}

// firstFile is what the first regular file of a tar stream holds.
func firstFile(r io.Reader) ([]byte, error) {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg {
			return io.ReadAll(t)
		}
	}
}

// chownAll gives a tree to somebody. It follows no links.
func chownAll(dir string, uid, gid int) error {
	return filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(file, uid, gid)
	})
}
