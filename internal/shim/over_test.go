//go:build linux

package shim_test

import (
	"bytes"
	stdcontext "context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise/internal/shim"
)

// dial runs the test binary as the other end, as an engine would. The kill of a
// link is a stream that is lost without its other end knowing.
func dial(_ stdcontext.Context, args ...string) (io.ReadWriteCloser, error) {
	cmd := exec.Command(self(), args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &link{WriteCloser: in, out: out, cmd: cmd}, nil
}

type link struct {
	io.WriteCloser
	out  io.ReadCloser
	cmd  *exec.Cmd
	once sync.Once
}

func (l *link) Read(p []byte) (int, error) { return l.out.Read(p) }
func (l *link) Close() error {
	l.once.Do(func() {
		l.WriteCloser.Close()
		l.out.Close()
		go func() { _ = l.cmd.Wait() }()
	})
	return nil
}

func over(t *testing.T, c shim.Remote) *shim.Streamed {
	t.Helper()
	p, err := shim.Over(t.Context(), dial, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// lines gives what a command writes as a reader.
func lines(t *testing.T, c *shim.Remote) *io.PipeReader {
	r, w := io.Pipe()
	c.Stdout = w
	t.Cleanup(func() { r.Close() })
	return r
}

func TestOver(t *testing.T) {
	t.Parallel()
	t.Run("carries files, environment, directory and exit", func(t *testing.T) {
		t.Parallel()
		var out, errs bytes.Buffer
		in := strings.Repeat("0123456789abcdef", 1<<16) // 1 MB: more than any window
		p := over(t, shim.Remote{
			Args: []string{"sh", "-c", `cat; echo "$A in $PWD" >&2; exit 7`}, Dir: os.TempDir(),
			Env: []string{"A=b c"}, Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs,
		})
		if code, sig, err := p.Wait(); code != 7 || sig != "" || err != nil {
			t.Errorf("got %d %q %v, want 7", code, sig, err)
		}
		if out.String() != in {
			t.Errorf("got %d bytes back, want %d", out.Len(), len(in))
		}
		if want := "b c in " + os.TempDir() + "\n"; errs.String() != want {
			t.Errorf("stderr %q, want %q", &errs, want)
		}
	})
	t.Run("holds the files that it is given", func(t *testing.T) {
		t.Parallel()
		theirIn, in, _ := os.Pipe()
		out, theirOut, _ := os.Pipe()
		p := over(t, shim.Remote{Args: []string{"cat"}, Stdin: theirIn, Stdout: theirOut})
		theirIn.Close()
		theirOut.Close()
		_, _ = in.WriteString("there and back")
		in.Close()
		if got, err := io.ReadAll(out); string(got) != "there and back" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if code, _, err := p.Wait(); code != 0 || err != nil {
			t.Errorf("got %d, %v", code, err)
		}
	})
	t.Run("finds no command", func(t *testing.T) {
		t.Parallel()
		if _, err := shim.Over(t.Context(), dial, shim.Remote{Args: []string{"no-such-command"}}); !errors.Is(err, shim.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("quotes what is no shim", func(t *testing.T) {
		t.Parallel()
		_, err := shim.Over(t.Context(), func(stdcontext.Context, ...string) (io.ReadWriteCloser, error) {
			a, b := net.Pipe()
			go func() { fmt.Fprint(a, "OCI runtime exec failed"); a.Close() }()
			return b, nil
		}, shim.Remote{Args: []string{"true"}})
		if err == nil || !strings.Contains(err.Error(), "OCI runtime exec failed") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("signals, and says which one ended it", func(t *testing.T) {
		t.Parallel()
		c := shim.Remote{Args: []string{"sh", "-c", "echo ok; exec sleep 300"}}
		r := lines(t, &c)
		p := over(t, c)
		readLine(t, r)
		_ = p.Signal(syscall.SIGTERM)
		if code, sig, err := p.Wait(); code != 143 || sig != "SIGTERM" || err != nil {
			t.Errorf("got %d %q %v", code, sig, err)
		}
		if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("signal after the end: %v", err)
		}
	})
}

func readLine(t *testing.T, r io.Reader) (line string) {
	t.Helper()
	b := make([]byte, 1)
	for {
		if _, err := r.Read(b); err != nil {
			t.Fatalf("after %q: %v", line, err)
		}
		if b[0] == '\n' {
			return line
		}
		line += string(b)
	}
}

// overTree starts the tree of the other tests, and answers its pids.
func overTree(t *testing.T, c shim.Remote, dial shim.Dial) (*shim.Streamed, []int) {
	t.Helper()
	c.Args = []string{"sh", "-c", tree}
	r := lines(t, &c)
	p, err := shim.Over(t.Context(), dial, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	var all []int
	for len(all) < 4 {
		for _, f := range strings.Fields(readLine(t, r)) {
			var n int
			_, _ = fmt.Sscan(f, &n)
			all = append(all, n)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return p, all
}

func TestOverEnds(t *testing.T) {
	t.Parallel()
	t.Run("by a kill, the whole tree", func(t *testing.T) {
		t.Parallel()
		p, all := overTree(t, shim.Remote{}, dial)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		wantDead(t, all, 0)
		if err := p.Kill(); err != nil {
			t.Errorf("second kill: %v", err)
		}
	})
	t.Run("at the fence", func(t *testing.T) {
		t.Parallel()
		p, all := overTree(t, shim.Remote{Fence: shim.Boottime() + time.Hour}, dial)
		_ = p.Fence(shim.Boottime() + 100*time.Millisecond)
		<-p.Gone()
		wantDead(t, all, 0)
	})
	t.Run("when the stream closes", func(t *testing.T) {
		t.Parallel()
		var stream io.Closer
		_, all := overTree(t, shim.Remote{}, func(ctx stdcontext.Context, args ...string) (io.ReadWriteCloser, error) {
			rw, err := dial(ctx, args...)
			stream = rw
			return rw, err
		})
		stream.Close()
		wantDead(t, all, 5*time.Second)
	})
	t.Run("with the pump killed", func(t *testing.T) {
		t.Parallel()
		var l *link
		p, all := overTree(t, shim.Remote{}, func(ctx stdcontext.Context, args ...string) (io.ReadWriteCloser, error) {
			rw, err := dial(ctx, args...)
			if l == nil {
				l = rw.(*link)
			}
			return rw, err
		})
		_ = l.cmd.Process.Kill()
		if _, _, err := p.Wait(); !errors.Is(err, shim.ErrLost) {
			t.Errorf("wait: got %v, want ErrLost", err)
		}
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		wantDead(t, all, 0)
	})
	t.Run("through another stream, if the first says nothing more", func(t *testing.T) {
		t.Parallel()
		mute := make(chan struct{})
		first := true
		p, all := overTree(t, shim.Remote{}, func(ctx stdcontext.Context, args ...string) (io.ReadWriteCloser, error) {
			rw, err := dial(ctx, args...)
			if first && err == nil {
				first = false
				return &deaf{ReadWriteCloser: rw, mute: mute}, nil
			}
			return rw, err
		})
		close(mute) // as after the restart of an engine: what is written goes nowhere, no end comes
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		wantDead(t, all, 0)
	})
}

// deaf is a stream whose other end hears nothing any more, and is not closed.
type deaf struct {
	io.ReadWriteCloser
	mute chan struct{}
}

func (d *deaf) Write(p []byte) (int, error) {
	select {
	case <-d.mute:
		return len(p), nil
	default:
		return d.ReadWriteCloser.Write(p)
	}
}

func (d *deaf) Close() error {
	l := d.ReadWriteCloser.(*link)
	return l.out.Close() // the reading ends, stdin stays open
}

// A command that reads nothing, and a reader that takes nothing, hold up no
// order.
func TestOverIsNotHeldUp(t *testing.T) {
	t.Parallel()
	t.Run("by a command that does not read", func(t *testing.T) {
		t.Parallel()
		p := over(t, shim.Remote{Args: []string{"sleep", "300"}, Stdin: zeros{}})
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("by a reader that does not take", func(t *testing.T) {
		t.Parallel()
		r, w := io.Pipe()
		t.Cleanup(func() { r.Close() })
		p := over(t, shim.Remote{Args: []string{"cat", "/dev/zero"}, Stdout: w})
		if _, err := io.ReadFull(r, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("killed after %v", took)
		}
		if _, sig, err := p.Wait(); sig != "SIGKILL" || err != nil {
			t.Errorf("got %q, %v", sig, err)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestOverFreezes(t *testing.T) {
	t.Parallel()
	p, all := overTree(t, shim.Remote{}, dial)
	state := func(want string) bool {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", all[0]))
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		return len(f) > 0 && strings.Contains(want, f[0])
	}
	wait := func(want string) {
		t.Helper()
		for range 400 {
			if state(want) {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("not in state %s", want)
	}
	_ = p.Freeze()
	wait("T")
	_ = p.Thaw()
	wait("SR")
}

func BenchmarkOver(b *testing.B) {
	for b.Loop() {
		p, err := shim.Over(b.Context(), dial, shim.Remote{Args: []string{"true"}})
		if err != nil {
			b.Fatal(err)
		}
		_, _, _ = p.Wait()
		_ = p.Kill()
	}
}
