//go:build unix

package shim

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Exit codes of get and put: why a file was not served.
const (
	ExitFailed   = 1
	ExitMissing  = 3 // no such file
	ExitOutside  = 4 // the path leads out of the root, by itself or by a link
	ExitNotAFile = 5 // a directory, device, pipe or socket
	ExitTooLarge = 6
)

// fileVerb serves "get [--max N] ROOT PATH", "put [--private] ROOT PATH" and
// "remove ROOT PATH": it writes the file to stdout, or stdin to the file, or
// removes a tree. It runs inside a layer, so that a path means what it means
// there, and never leaves ROOT, whatever links there are.
func fileVerb(verb string, args []string) int {
	flags := flag.NewFlagSet("shim "+verb, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	most := flags.Int64("max", 1<<30, "")
	private := flags.Bool("private", false, "")
	if err := flags.Parse(args); err != nil || flags.NArg() != 2 {
		fmt.Fprintf(os.Stderr, "usage: shim %s [--max BYTES] [--private] ROOT PATH\n", verb)
		return 2
	}
	root, name, err := within(flags.Arg(0), flags.Arg(1))
	if err == nil {
		defer root.Close()
		switch {
		case verb == "get":
			err = get(root, name, *most)
		case verb == "remove":
			err = root.RemoveAll(name)
		default:
			err = put(root, name, *private)
		}
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return fileExit(err)
}

var (
	errOutside  = errors.New("it is outside of the workspace")
	errNotAFile = errors.New("it is no regular file")
	errTooLarge = errors.New("it is too large")
)

func fileExit(err error) int {
	switch {
	case errors.Is(err, errOutside), escapes(err):
		return ExitOutside
	case errors.Is(err, errNotAFile), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EISDIR):
		return ExitNotAFile
	case errors.Is(err, errTooLarge):
		return ExitTooLarge
	case errors.Is(err, fs.ErrNotExist):
		return ExitMissing
	}
	return ExitFailed
}

// escapes recognises the error of os.Root, which has no name of its own.
func escapes(err error) bool { return strings.Contains(err.Error(), "escapes from parent") }

// get writes the file to stdout.
func get(root *os.Root, name string, most int64) error {
	// A pipe would hold up the open for ever, without O_NONBLOCK.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return errNotAFile
	case st.Size() > most:
		return fmt.Errorf("%w: %d bytes, and %d are allowed", errTooLarge, st.Size(), most)
	}
	_, err = io.Copy(os.Stdout, io.LimitReader(f, most))
	return err
}

// put makes stdin the file, and the directories above it if they are missing. A
// private one is made anew, for its owner alone, like the directories.
func put(root *os.Root, name string, private bool) error {
	how, file, dir := os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, fs.FileMode(0o644), fs.FileMode(0o755)
	if private {
		how, file, dir = how|os.O_EXCL, 0o600, 0o700
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if up := filepath.Dir(name); up != "." {
		if err := root.MkdirAll(up, dir); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(name, how, file)
	if err != nil {
		return err
	}
	err = fill(f)
	return errors.Join(err, f.Close())
}

// fill looks before it empties the file: a device is not written to.
func fill(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errNotAFile
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = io.Copy(f, os.Stdin)
	return err
}

// within opens dir and gives path relative to it. An agent may know dir by
// another name of it, without links.
func within(dir, path string) (*os.Root, string, error) {
	if !filepath.IsAbs(dir) || !filepath.IsAbs(path) {
		return nil, "", fmt.Errorf("the path is not absolute: %q", path)
	}
	name, ok := below(dir, path)
	if !ok {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, "", err
		}
		if name, ok = below(real, path); !ok {
			return nil, "", errOutside
		}
	}
	root, err := os.OpenRoot(dir)
	return root, name, err
}

func below(dir, path string) (string, bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && filepath.IsLocal(name)
}
