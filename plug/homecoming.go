package plug

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// comeHome makes the entries of outer those that unpack writes into a directory
// of the scope. Until that is whole outer stays as it is, and where it fails
// nothing is left of it.
func comeHome(s Scope, outer string, unpack func(*os.Root) error) error {
	fresh := filepath.Join(s.Dir, "home-coming")
	if err := removeAll(fresh); err != nil {
		return err
	}
	if err := os.MkdirAll(fresh, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(fresh)
	if err == nil {
		err = errors.Join(unpack(root), root.Close())
	}
	if err != nil {
		return errors.Join(err, removeAll(fresh))
	}
	return exchange(outer, fresh, filepath.Join(s.Dir, "before"))
}

const (
	// roomLook is after how many bytes it is looked whether there is room for more.
	roomLook = 16 << 20
	// roomKept is what is left free of a disk, of a small one a twentieth.
	roomKept = 256 << 20
)

// A roomy reader ends with an error when the disk of dir, onto which it is
// written, is about to be full.
type roomy struct {
	io.Reader
	dir  string
	read int64 // since it was looked
}

func (r *roomy) Read(p []byte) (int, error) {
	if r.read >= roomLook {
		r.read = 0
		var fs unix.Statfs_t
		if err := unix.Statfs(r.dir, &fs); err != nil {
			return 0, fmt.Errorf("look for room on the disk of %s: %w", r.dir, err)
		}
		free, all := fs.Bavail*uint64(fs.Bsize), fs.Blocks*uint64(fs.Bsize)
		if free < min(roomKept, all/20) {
			return 0, fmt.Errorf("only %d MB are free on the disk of %s: make room there", free>>20, r.dir)
		}
	}
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	return n, err
}
