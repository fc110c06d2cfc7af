package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
)

// Exec runs a program in a container that runs, as its user, and answers its stdin and
// stdout. Closing them ends its stdin and nothing else. What it wrote to stderr
// goes into the error at the end of stdout, if there was nothing else to read.
func (e *Engine) Exec(ctx context.Context, name string, args []string) (io.ReadWriteCloser, error) {
	made, err := e.c.ContainerExecCreate(ctx, name, container.ExecOptions{
		Cmd: args, AttachStdin: true, AttachStdout: true, AttachStderr: true,
	})
	if errdefs.IsConflict(err) {
		return nil, fmt.Errorf("run in container %s: %w: %w", name, ErrStopped, err)
	}
	if err != nil {
		return nil, wrap(err, "run in container %s", name)
	}
	conn, err := e.c.ContainerExecAttach(ctx, made.ID, container.ExecAttachOptions{})
	if err != nil {
		return nil, wrap(err, "run in container %s", name)
	}
	r, w := io.Pipe()
	s := &execStream{conn: conn, out: r}
	go s.split(w)
	return s, nil
}

// An execStream is the hijacked connection, with its two outputs taken apart.
type execStream struct {
	conn types.HijackedResponse
	out  *io.PipeReader
	once sync.Once
}

// split ends when the connection does.
func (s *execStream) split(w *io.PipeWriter) {
	said := &tail{most: 2 << 10}
	n, err := stdcopy.StdCopy(w, said, s.conn.Reader)
	if text := strings.TrimSpace(said.String()); text != "" && n == int64(said.total) {
		err = fmt.Errorf("the command said: %s", text)
	}
	w.CloseWithError(err) // nil is the end
}

func (s *execStream) Read(p []byte) (int, error)  { return s.out.Read(p) }
func (s *execStream) Write(p []byte) (int, error) { return s.conn.Conn.Write(p) }

func (s *execStream) Close() error {
	s.once.Do(func() {
		s.conn.Close()
		s.out.Close()
	})
	return nil
}

// A tail keeps the last of what is written to it.
type tail struct {
	bytes.Buffer
	most, total int
}

func (t *tail) Write(p []byte) (int, error) {
	t.total += len(p)
	t.Buffer.Write(p)
	if over := t.Len() - t.most; over > 0 {
		t.Next(over)
	}
	return len(p), nil
}
