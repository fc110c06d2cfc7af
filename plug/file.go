package plug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"blaise.dev/blaise/internal/shim"
)

// The ways in which a file of a place is refused; test with errors.Is. A file
// that is not there is fs.ErrNotExist.
var (
	ErrOutside  = errors.New("outside of the workspace")
	ErrNotAFile = errors.New("no regular file")
	ErrTooLarge = errors.New("too large")
)

// ReadFile reads a file of e for the agent that lives there, of at most most
// bytes. The path is absolute and means what it means inside e: it is opened
// there, by the shim, and never on the host. No link leads out of Place().Dir.
func ReadFile(ctx context.Context, e Env, path string, most int64) ([]byte, error) {
	var out bytes.Buffer
	place := e.Place()
	err := serveFile(ctx, e, Cmd{
		Args:   []string{place.Shim, "shim", "get", "--max", strconv.FormatInt(most, 10), place.Dir, path},
		Stdout: &out,
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return out.Bytes(), nil
}

// WriteFile writes a file of e, under the same rules. Directories above it are
// made.
func WriteFile(ctx context.Context, e Env, path string, data []byte) error {
	place := e.Place()
	err := serveFile(ctx, e, Cmd{
		Args: []string{place.Shim, "shim", "put", place.Dir, path}, Stdin: bytes.NewReader(data),
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// serveFile runs a file verb of the shim in e. The end of ctx kills it.
func serveFile(ctx context.Context, e Env, c Cmd) error {
	var said bytes.Buffer
	c.Stderr = &limited{to: &said, left: 4 << 10}
	p, err := e.Start(ctx, c)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = p.Kill() })()
	exit, err := p.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case exit.Code == 0 && exit.Signal == "":
		return nil
	}
	return fileError(exit, strings.TrimSpace(said.String()))
}

var fileErrors = map[int]error{
	shim.ExitMissing: fs.ErrNotExist, shim.ExitOutside: ErrOutside,
	shim.ExitNotAFile: ErrNotAFile, shim.ExitTooLarge: ErrTooLarge,
}

func fileError(exit Exit, said string) error {
	if err, ok := fileErrors[exit.Code]; ok {
		return err
	}
	if said == "" {
		said = fmt.Sprintf("the shim ended with %d %s", exit.Code, exit.Signal)
	}
	return errors.New(said)
}

// limited takes everything and passes on the beginning.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	keep := p[:min(len(p), l.left)]
	l.left -= len(keep)
	if _, err := l.to.Write(keep); err != nil {
		return 0, err
	}
	return len(p), nil
}
