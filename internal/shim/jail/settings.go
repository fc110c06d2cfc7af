package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSetting is more than any setting has.
const maxSetting = 8 << 20

// CopySettings makes s.Etc anew from what /etc has now. Who has it open keeps
// the one from before.
func (s Spec) CopySettings() error {
	fresh := s.Etc + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	for _, name := range settings {
		real, err := filepath.EvalSymlinks(filepath.Join("/etc", name)) // some lead to /run
		if err != nil {
			continue
		}
		if err := copyTree(real, filepath.Join(fresh, name)); err != nil {
			return fmt.Errorf("copy setting %s: %w", name, err)
		}
	}
	if err := os.RemoveAll(s.Etc); err != nil {
		return err
	}
	return os.Rename(fresh, s.Etc)
}

// copyTree copies files and links, and leaves out what cannot be read: it could
// not be read by the prisoner either.
func copyTree(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyOne(path, filepath.Join(to, rel), d)
	})
}

func copyOne(from, to string, d fs.DirEntry) error {
	if d.IsDir() {
		return os.MkdirAll(to, 0o755)
	}
	st, err := d.Info()
	if err != nil {
		return err
	}
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		at, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(at, to)
	case !st.Mode().IsRegular() || st.Size() > maxSetting:
		return nil
	}
	b, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}
