package demoagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/internal/demoagent"
)

// TestMain makes the test binary an agent when it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv("DEMOAGENT_CHILD") == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := demoagent.Run(ctx, os.Stdin, os.Stdout, demoagent.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// agent is a running demo agent and what it has said.
type agent struct {
	*acp.Client
	t    *testing.T
	dir  string
	cmd  *exec.Cmd // nil when in process
	pipe [2]*os.File
	ran  chan error

	permit func(ctx context.Context, r acp.PermissionRequest) acp.PermissionOutcome

	mu      sync.Mutex // over the fields below
	updates []acp.Update
	noise   []string
	asked   []acp.PermissionRequest
	seen    chan struct{} // one token when something new was seen
}

func allow(_ context.Context, r acp.PermissionRequest) acp.PermissionOutcome {
	return r.Choose(true, false)
}

func newAgent(t *testing.T) *agent {
	return &agent{
		t: t, dir: t.TempDir(), permit: allow,
		ran: make(chan error, 1), seen: make(chan struct{}, 1),
	}
}

// start runs the agent in this process.
func start(t *testing.T, o demoagent.Options) *agent {
	t.Helper()
	a := newAgent(t)
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	served := make(chan error, 1)
	go func() {
		served <- demoagent.Run(t.Context(), inR, outW, o)
		_ = outW.Close()
	}()
	a.connect(inW, outR)
	t.Cleanup(func() {
		a.CloseInput()
		if err := <-served; err != nil {
			t.Errorf("agent: %v", err)
		}
		_ = inR.Close()
	})
	return a
}

// spawn runs the agent as a process.
func spawn(t *testing.T, env ...string) *agent {
	t.Helper()
	a := newAgent(t)
	a.cmd = exec.Command(os.Args[0])
	a.cmd.Env = append(os.Environ(), "DEMOAGENT_CHILD=1")
	a.cmd.Env = append(a.cmd.Env, env...)
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	a.cmd.Stdin, a.cmd.Stdout = inR, outW
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = inR.Close(), outW.Close()
	a.connect(inW, outR)
	t.Cleanup(func() {
		_ = a.cmd.Process.Kill()
		_ = a.cmd.Wait()
	})
	return a
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (a *agent) connect(in io.WriteCloser, out io.ReadCloser) {
	a.t.Helper()
	a.Client = acp.NewClient(in, out, a, acp.Options{})
	go func() { a.ran <- a.Client.Run(context.Background()) }()
	_, err := a.Initialize(a.t.Context(), acp.ClientInfo{Name: "test"}, acp.ClientCapabilities{})
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *agent) Update(u acp.Update) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.updates = append(a.updates, u)
	a.tell()
}

func (a *agent) tell() {
	select {
	case a.seen <- struct{}{}:
	default:
	}
}

func (a *agent) Permission(
	ctx context.Context, r acp.PermissionRequest,
) acp.PermissionOutcome {
	a.mu.Lock()
	a.asked = append(a.asked, r)
	a.tell()
	a.mu.Unlock()
	return a.permit(ctx, r)
}

func (a *agent) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, acp.ErrMethodNotFound
}

func (a *agent) Noise(line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.noise = append(a.noise, string(line))
}

func (a *agent) session() string {
	a.t.Helper()
	s, err := a.NewSession(a.t.Context(), acp.SessionParams{CWD: a.dir})
	if err != nil {
		a.t.Fatal(err)
	}
	return s.ID
}

// take gives the updates since the last take.
func (a *agent) take() []acp.Update {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := a.updates
	a.updates = nil
	return u
}

// ask sends a message and gives what the agent said, and the stop reason.
func (a *agent) ask(id, text string) (said, stop string) {
	a.t.Helper()
	a.take()
	r, err := a.Prompt(a.t.Context(), id, []acp.ContentBlock{acp.Text(text)})
	if err != nil {
		a.t.Fatalf("prompt %q: %v", text, err)
	}
	return texts(a.take(), acp.KindAgentChunk), r.StopReason
}

// want fails unless the agent's answer to text contains want.
func (a *agent) want(id, text, want string) {
	a.t.Helper()
	said, stop := a.ask(id, text)
	if !strings.Contains(said, want) || stop != "end_turn" {
		a.t.Errorf("%q: got %q (%s), want it to contain %q", text, said, stop, want)
	}
}

// until waits until ok holds for what was seen.
func (a *agent) until(ok func() bool) {
	a.t.Helper()
	for {
		a.mu.Lock()
		done := ok()
		a.mu.Unlock()
		if done {
			return
		}
		select {
		case <-a.seen:
		case <-a.Done():
			a.t.Fatal("the agent is gone")
		}
	}
}

func texts(updates []acp.Update, kind string) string {
	var b strings.Builder
	for _, u := range updates {
		if text, ok := u.Text(); ok && u.Kind == kind {
			b.WriteString(text)
		}
	}
	return b.String()
}

func kinds(updates []acp.Update) string {
	var k []string
	for _, u := range updates {
		k = append(k, u.Kind)
	}
	return strings.Join(k, " ")
}

func wantDied(t *testing.T, err error) {
	t.Helper()
	var died *acp.DiedError
	if !errors.As(err, &died) {
		t.Errorf("got error %v, want a DiedError", err)
	}
}
