package plug

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// readDown reads what writeDown wrote into dir; nil if there is nothing.
func readDown[T any](dir, name string) (*T, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was made: %w", err)
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("read %q: %w", filepath.Join(dir, name), err)
	}
	return &v, nil
}

// writeDown is durable when it returns: what is about to be made is known after
// a crash.
func writeDown(dir, name string, v any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write down what is made: %w", err)
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, name+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}
