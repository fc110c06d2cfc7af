package plugtest

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
)

// An output is what a command wrote so far.
type output struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) wait(t testing.TB, text string) {
	t.Helper()
	for range 1000 {
		if _, after, ok := strings.Cut(o.String(), text); ok && strings.Contains(after, "\n") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %q in output: %q", text, o)
}

func start(t testing.TB, env plug.Env, script string) (plug.Process, *output) {
	t.Helper()
	out := &output{}
	p, err := env.Start(t.Context(), plug.Cmd{Args: []string{"sh", "-c", script}, Stdout: out, Stderr: out})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p, out
}
