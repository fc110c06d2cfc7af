package transcript

import (
	"io/fs"
	"path/filepath"
)

// SpoolBytes is what the spool in a directory holds on disk, without what it
// keeps in reserve; 0 where there is none. It may be asked while others use the
// spool.
func SpoolBytes(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == reserveName {
			return nil // gone meanwhile is as good as empty
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
