package acp_test

import (
	"context"
	"log/slog"
	"os"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// sdkAgent is an agent made with the SDK; what it does not define is not
// called.
type sdkAgent struct {
	sdk.Agent
	conn   *sdk.AgentSideConnection
	burst  int
	cancel chan struct{}
}

func (a *sdkAgent) Initialize(
	_ context.Context, p sdk.InitializeRequest,
) (sdk.InitializeResponse, error) {
	return sdk.InitializeResponse{
		ProtocolVersion:   p.ProtocolVersion,
		AgentCapabilities: sdk.AgentCapabilities{LoadSession: true},
		AgentInfo:         &sdk.Implementation{Name: "sdk", Version: "1"},
	}, nil
}

func (a *sdkAgent) Authenticate(
	context.Context, sdk.AuthenticateRequest,
) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, nil
}

func (a *sdkAgent) NewSession(
	_ context.Context, p sdk.NewSessionRequest,
) (sdk.NewSessionResponse, error) {
	return sdk.NewSessionResponse{SessionId: sdk.SessionId("in " + p.Cwd)}, nil
}

func (a *sdkAgent) CloseSession(
	context.Context, sdk.CloseSessionRequest,
) (sdk.CloseSessionResponse, error) {
	return sdk.CloseSessionResponse{}, nil
}

func (a *sdkAgent) SetSessionMode(
	context.Context, sdk.SetSessionModeRequest,
) (sdk.SetSessionModeResponse, error) {
	return sdk.SetSessionModeResponse{}, sdk.NewInvalidParams("no such mode")
}

func (a *sdkAgent) LoadSession(
	ctx context.Context, p sdk.LoadSessionRequest,
) (sdk.LoadSessionResponse, error) {
	return sdk.LoadSessionResponse{}, a.say(ctx, p.SessionId, "replayed")
}

func (a *sdkAgent) Cancel(context.Context, sdk.CancelNotification) error {
	close(a.cancel)
	return nil
}

func (a *sdkAgent) say(ctx context.Context, id sdk.SessionId, text string) error {
	return a.conn.SessionUpdate(ctx, sdk.SessionNotification{
		SessionId: id, Update: sdk.UpdateAgentMessageText(text),
	})
}

func (a *sdkAgent) Prompt(ctx context.Context, p sdk.PromptRequest) (sdk.PromptResponse, error) {
	for range a.burst {
		if err := a.say(ctx, p.SessionId, "word "); err != nil {
			return sdk.PromptResponse{}, err
		}
	}
	if p.Prompt[0].Text != nil && p.Prompt[0].Text.Text == "wait" {
		if err := a.say(ctx, p.SessionId, "waiting"); err != nil {
			return sdk.PromptResponse{}, err
		}
		<-a.cancel
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	}
	title := "Edit"
	r, err := a.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{
		SessionId: p.SessionId,
		ToolCall:  sdk.ToolCallUpdate{ToolCallId: "c", Title: &title},
		Options:   []sdk.PermissionOption{{OptionId: "ok", Name: "OK", Kind: sdk.PermissionOptionKindAllowOnce}},
	})
	if err != nil || r.Outcome.Selected == nil || r.Outcome.Selected.OptionId != "ok" {
		return sdk.PromptResponse{StopReason: sdk.StopReasonRefusal}, err
	}
	return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}, nil
}

// startSDK runs an SDK agent over pipes.
func startSDK(t testing.TB, burst int) *acptest.Agent {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a := &sdkAgent{burst: burst, cancel: make(chan struct{})}
	a.conn = sdk.NewAgentSideConnection(a, outW, inR)
	a.conn.SetLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _, _ = inR.Close(), outW.Close() })
	return &acptest.Agent{Stdin: inW, Stdout: outR}
}

func TestConformsToTheSDK(t *testing.T) {
	t.Parallel()
	p := connect(t, startSDK(t, 3), &recorder{}, acp.Options{})
	ctx := t.Context()
	a, err := p.Initialize(ctx, acp.ClientInfo{Name: "t", Version: "1"}, acp.ClientCapabilities{})
	if err != nil || !a.LoadSession || a.Name != "sdk" || a.ProtocolVersion != 1 {
		t.Fatalf("got %+v, %v", a, err)
	}
	if err := p.Authenticate(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	s, err := p.NewSession(ctx, acp.SessionParams{CWD: "/tmp"})
	if err != nil || s.ID != "in /tmp" {
		t.Fatalf("got %+v, %v", s, err)
	}
	r, err := p.Prompt(ctx, s.ID, []acp.ContentBlock{acp.Text("hi"), acp.Link("f", "file:///f")})
	if err != nil || r.StopReason != "end_turn" || p.text() != "word word word " {
		t.Fatalf("got %+v, %v and %q", r, err, p.text())
	}
	if _, err := p.LoadSession(ctx, s.ID, acp.SessionParams{CWD: "/tmp"}); err != nil {
		t.Fatal(err)
	}
	if err := p.SetMode(ctx, s.ID, "x"); err == nil || p.count() != 4 {
		t.Errorf("got %v and %d updates, want an error and 4", err, p.count())
	}
	ended := make(chan turnEnd, 1)
	go func() {
		r, err := p.Prompt(ctx, s.ID, []acp.ContentBlock{acp.Text("wait")})
		ended <- turnEnd{r, err}
	}()
	p.wait(8)
	if err := p.Cancel(s.ID); err != nil {
		t.Fatal(err)
	}
	if e := <-ended; e.err != nil || e.Reported != acp.StopCancelled {
		t.Errorf("got %+v, want cancelled", e)
	}
	if err := p.CloseSession(ctx, s.ID); err != nil {
		t.Error(err)
	}
}
