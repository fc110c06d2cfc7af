package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Wholes are the paths of what the spool has of events that were too long: each
// whole, as its event's Cut names it.
func (s *Spool) Wholes() ([]string, error) {
	return wholesIn(s.dir)
}

func wholesIn(dir string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), "whole-*.json")
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names, err
}

// DropWhole removes one that its receiver has, and gives its room back. One that
// is not there is no error.
func (s *Spool) DropWhole(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.wholes -= info.Size()
	}
	return err
}
