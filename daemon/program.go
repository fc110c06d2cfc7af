package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"blaise.dev/blaise/internal/shim"
)

// copyProgram copies the running program into dir/DIGEST/NAME and returns the
// copy's path. Children and shims run from it, so that an upgrade of the
// program mixes nothing, and `go run` may remove its own.
func copyProgram(dir string) (string, error) {
	from, err := os.Executable()
	if err != nil {
		return "", err
	}
	to, err := copyInto(dir, from)
	if err != nil {
		return "", err
	}
	return to, copyBeside(from, to)
}

// copyBeside copies the small shim. Without it the program itself is what goes
// into containers and stands beside commands, which is ten times as large.
func copyBeside(from, to string) error {
	from = filepath.Join(filepath.Dir(from), shim.SmallName)
	to = filepath.Join(filepath.Dir(to), shim.SmallName)
	digest, err := digestOf(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read shim: %w", err)
	}
	if have, err := digestOf(to); err == nil && have == digest {
		return nil
	}
	return copyFile(from, to)
}

func copyInto(dir, from string) (string, error) {
	digest, err := digestOf(from)
	if err != nil {
		return "", fmt.Errorf("read own program: %w", err)
	}
	to := filepath.Join(dir, digest[:16], filepath.Base(from))
	if have, err := digestOf(to); err == nil && have == digest {
		return to, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	return to, copyFile(from, to)
}

// copyFile goes by a name of its own: a program being written to cannot be
// started, and one being run cannot be written to.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	// A child forked meanwhile would hold it open for writing, and it could not be
	// started ("text file busy").
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // gone already after the rename
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o700), out.Sync(), out.Close())
	if err != nil {
		return fmt.Errorf("copy program to %s: %w", to, err)
	}
	return os.Rename(out.Name(), to)
}

func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
