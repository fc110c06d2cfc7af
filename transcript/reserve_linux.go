package transcript

import (
	"errors"
	"os"
	"syscall"
)

// reserve makes a file whose blocks are taken from the disk, though nothing is
// written to them. A file system that does not know how is written full.
func reserve(path string, size int64) error {
	if info, err := os.Stat(path); err == nil && info.Size() == size {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		err = fill(f, size)
	}
	return keepOrRemove(f, err)
}
