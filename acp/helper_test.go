package acp_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

func TestMain(m *testing.M) {
	acptest.Main()
	os.Exit(m.Run())
}

// recorder is a Handler that keeps what it sees.
type recorder struct {
	onUpdate func(acp.Update)
	permit   func(context.Context, acp.PermissionRequest) acp.PermissionOutcome
	request  func(ctx context.Context, method string) (any, error)

	mu      sync.Mutex // over the fields below
	updates []acp.Update
	noise   []string
	seen    chan struct{} // one token when something new was seen
}

func (r *recorder) Update(u acp.Update) {
	if r.onUpdate != nil {
		r.onUpdate(u)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, u)
	select {
	case r.seen <- struct{}{}:
	default:
	}
}

func (r *recorder) Permission(
	ctx context.Context, q acp.PermissionRequest,
) acp.PermissionOutcome {
	if r.permit != nil {
		return r.permit(ctx, q)
	}
	return q.Choose(true, false)
}

func (r *recorder) Request(
	ctx context.Context, method string, _ json.RawMessage,
) (any, error) {
	if r.request != nil {
		return r.request(ctx, method)
	}
	return nil, acp.ErrMethodNotFound
}

func (r *recorder) Noise(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noise = append(r.noise, string(line))
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.updates)
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, u := range r.updates {
		text, _ := u.Text()
		b.WriteString(text)
	}
	return b.String()
}

// wait waits until n updates were seen.
func (r *recorder) wait(n int) {
	for r.count() < n {
		<-r.seen
	}
}

// peer is a client that runs, and its agent.
type peer struct {
	*acp.Client
	*recorder
	t     testing.TB
	agent *acptest.Agent
	ran   chan error
	stop  context.CancelCauseFunc
}

func start(t testing.TB, s acptest.Script, o acp.Options) *peer {
	t.Helper()
	return connect(t, acptest.Start(t, s), &recorder{}, o)
}

func connect(t testing.TB, a *acptest.Agent, r *recorder, o acp.Options) *peer {
	t.Helper()
	r.seen = make(chan struct{}, 1)
	if o.WriteTimeout == 0 {
		o.WriteTimeout = time.Minute
	}
	ctx, stop := context.WithCancelCause(context.Background())
	p := &peer{
		Client: acp.NewClient(a.Stdin, a.Stdout, r, o), recorder: r,
		t: t, agent: a, ran: make(chan error, 1), stop: stop,
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.ran <- p.Client.Run(ctx)
	}()
	t.Cleanup(func() {
		stop(nil)
		<-ended
	})
	return p
}

func (p *peer) prompt() (acp.PromptResult, error) {
	p.t.Helper()
	return p.Prompt(context.Background(), "s1", []acp.ContentBlock{acp.Text("hi")})
}

// begin prompts, and gives the end of the turn when it comes.
func (p *peer) begin() <-chan turnEnd {
	ended := make(chan turnEnd, 1)
	go func() {
		r, err := p.prompt()
		ended <- turnEnd{r, err}
	}()
	return ended
}

type turnEnd struct {
	acp.PromptResult
	err error
}

func (p *peer) mustPrompt(stop string) acp.PromptResult {
	p.t.Helper()
	r, err := p.prompt()
	if err != nil {
		p.t.Fatal(err)
	}
	if r.StopReason != stop {
		p.t.Errorf("got stop reason %q, want %q", r.StopReason, stop)
	}
	return r
}

// eventually polls until ok, for half a minute at most.
func eventually(t testing.TB, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to be")
		}
	}
}
