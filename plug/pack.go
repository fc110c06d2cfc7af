package plug

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
