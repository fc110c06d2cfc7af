//go:build linux

package shim_test

import (
	"bytes"
	stdcontext "context"
	"errors"
	"io"
	"os/exec"
	"testing"
	"time"

	"blaise.dev/blaise/internal/shim"
)

// cuttingDial is dial through an engine that is a moment late with what a
// command writes, and drops what it holds when the command ends, as Podman 4.3
// does.
func cuttingDial(_ stdcontext.Context, args ...string) (io.ReadWriteCloser, error) {
	cmd := exec.Command(self(), args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	held, w := io.Pipe()
	cmd.Stdout = cutter{ended: make(chan struct{}), to: w}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_, _ = cmd.Process.Wait()
		close(cmd.Stdout.(cutter).ended)
		w.Close()
	}()
	return cutLink{held, in}, nil
}

type cutter struct {
	ended chan struct{}
	to    *io.PipeWriter
}

func (c cutter) Write(p []byte) (int, error) {
	select {
	case <-c.ended:
		return 0, io.ErrClosedPipe
	case <-time.After(20 * time.Millisecond):
		return c.to.Write(p)
	}
}

type cutLink struct {
	*io.PipeReader
	in io.WriteCloser
}

func (l cutLink) Write(p []byte) (int, error) { return l.in.Write(p) }
func (l cutLink) Close() error                { return errors.Join(l.in.Close(), l.PipeReader.Close()) }

func TestOverHearsTheLastWordThroughAnEngineThatDropsIt(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p, err := shim.Over(t.Context(), cuttingDial, shim.Remote{
		Args: []string{"sh", "-c", "echo last; exit 3"}, Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, err := p.Wait(); code != 3 || err != nil || out.String() != "last\n" {
		t.Errorf("exit %d, %v after %q, want 3 after its last word", code, err, out.String())
	}
	_, err = shim.Over(t.Context(), cuttingDial, shim.Remote{Args: []string{"/no/such/program"}})
	if !errors.Is(err, shim.ErrNotFound) {
		t.Errorf("start of nothing: %v", err)
	}
}
