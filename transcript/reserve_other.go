//go:build !linux

package transcript

import "os"

// reserve makes a file of the size that holds its blocks on the disk.
func reserve(path string, size int64) error {
	if info, err := os.Stat(path); err == nil && info.Size() == size {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return keepOrRemove(f, fill(f, size))
}
