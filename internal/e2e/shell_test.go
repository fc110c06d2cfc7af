package e2e_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"

	"github.com/creack/pty"
)

// A screen is what a terminal has shown, for several goroutines.
type screen struct {
	mu   sync.Mutex // guards what follows
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) wait(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		text := s.text.String()
		s.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the terminal never shows %q:\n%s", want, text)
		}
	}
}

// A shell is a terminal through every layer: it has a size that follows, the
// keys mean what they mean, its exit code comes through, and a paused session is
// opened for it (X5).
func TestShellOnATerminal(t *testing.T) {
	t.Parallel()
	t.Run("in a worktree", func(t *testing.T) { // a lab is parallel
		shellOnATerminal(t, newLab(t, ""))
	})
	t.Run("in a sandbox", func(t *testing.T) {
		t.Parallel()
		shellOnATerminal(t, newSandboxLab(t, nil, map[string]any{"network": "none"}))
	})
	t.Run("in a container", func(t *testing.T) {
		t.Parallel()
		b, e := newContainerLab(t, sharedHost(t), nil)
		id := shellOnATerminal(t, b)
		if got := e.of(t, id); strings.TrimSpace(got) != "" {
			t.Errorf("left on the engine: %s", got)
		}
	})
}

func shellOnATerminal(t *testing.T, b lab) blaise.SessionID {
	t.Helper()
	id := b.start("echo here I am")
	b.state(id, blaise.SessionIdle)
	cmd := exec.Command(filepath.Join(programs, "blaise"), "shell", string(id), "--", "/bin/sh", "-i")
	cmd.Env = b.env
	term, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 33, Cols: 99})
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	var seen screen
	var copying sync.WaitGroup
	copying.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := term.Read(buf)
			_, _ = seen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	})
	types := func(line string) { _, _ = term.WriteString(line) }
	types("stty size; echo here=$BLAISE_SESSION; echo by hand >kept.txt; echo at home >~/kept-$BLAISE_SESSION\n")
	seen.wait(t, "33 99")
	seen.wait(t, "here="+string(id))
	if err := pty.Setsize(term, &pty.Winsize{Rows: 44, Cols: 111}); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGWINCH)
	types("until stty size | grep 111; do sleep 0.1; done; sleep 1000; echo woken=$?\n")
	seen.wait(t, "44 111")
	types("\x03")
	types("\necho still=there\n")
	seen.wait(t, "still=there\r\n")
	types("exit 5\n")
	err = cmd.Wait()
	copying.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 5 {
		t.Errorf("shell ended with %v, want exit code 5", err)
	}
	b.says(id, "closed: exit code 5")
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	kept := b.run("shell", string(id), "--", "sh", "-c", "cd && cat kept-$BLAISE_SESSION && rm kept-$BLAISE_SESSION; cd - >/dev/null; cat kept.txt")
	if !strings.Contains(kept, "by hand") || !strings.Contains(kept, "at home") {
		t.Errorf("asleep, the shell finds %q", kept)
	}
	b.environment(id, blaise.EnvPaused)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	return id
}
