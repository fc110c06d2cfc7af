package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// talk measures the connection to an agent, a process of its own, against the
// SDK's, and how soon what the agent says is in the file of the spool.
func talk(ctx context.Context, o options) ([]row, error) {
	ours, err := ourTalk(ctx)
	if err != nil {
		return nil, err
	}
	theirs, err := sdkTalk(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := delay(ctx, o)
	return append([]row{
		{name: "updates read and decoded a second, times the SDK's", got: ours.rate() / theirs.rate(),
			limit: 4, unit: "x", least: true},
		{name: "allocations for an update, of the SDK's", got: 100 * ours.allocs() / theirs.allocs(),
			limit: 25, unit: "%"},
	}, rows...), err
}

const (
	talkBurst = 1000 // more at once makes the SDK give up its connection
	talkTurns = 200
)

// A spoken is what was heard, and what it cost.
type spoken struct {
	took    time.Duration
	mallocs uint64
}

func (s spoken) rate() float64   { return talkBurst * talkTurns / s.took.Seconds() }
func (s spoken) allocs() float64 { return float64(s.mallocs) / (talkBurst * talkTurns) }

// hear measures the turns that prompt makes, after some to warm up.
func hear(prompt func() error) (spoken, error) {
	var before, after runtime.MemStats
	var began time.Time
	for i := range talkTurns + 20 {
		if i == 20 {
			runtime.ReadMemStats(&before)
			began = time.Now()
		}
		if err := prompt(); err != nil {
			return spoken{}, err
		}
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	return spoken{took: took, mallocs: after.Mallocs - before.Mallocs}, nil
}

// A speaker is this program again, as a scripted agent.
type speaker struct {
	in  *os.File
	out *os.File
	cmd *exec.Cmd
}

func startSpeaker(s acptest.Script) (*speaker, error) {
	script, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirOut.Close()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "BLAISE_ACPTEST_SCRIPT="+string(script))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start agent: %w", err)
	}
	return &speaker{in: in, out: out, cmd: cmd}, nil
}

func (s *speaker) close() {
	_ = s.in.Close() // it exits at the end of its stdin
	_ = s.out.Close()
	_ = s.cmd.Wait()
}

var spokenScript = acptest.Script{Burst: talkBurst, Size: 100}

// listener is a Handler that hands updates on and grants nothing.
type listener func(acp.Update)

func (l listener) Update(u acp.Update) { l(u) }
func (l listener) Noise([]byte)        {}
func (l listener) Permission(context.Context, acp.PermissionRequest) acp.PermissionOutcome {
	return acp.PermissionOutcome{Cancelled: true}
}

func (l listener) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, acp.ErrMethodNotFound
}

func ourTalk(ctx context.Context) (spoken, error) {
	s, err := startSpeaker(spokenScript)
	if err != nil {
		return spoken{}, err
	}
	defer s.close()
	size := 0
	c := acp.NewClient(s.in, s.out, listener(func(u acp.Update) {
		text, _ := u.Text()
		size += len(text)
	}), acp.Options{})
	go func() { _ = c.Run(ctx) }() // the prompts fail with why
	return hear(func() error {
		_, err := c.Prompt(ctx, "s1", []acp.ContentBlock{acp.Text("hi")})
		return err
	})
}

// deafSDK takes updates as the SDK has decoded them.
type deafSDK struct{ sdk.Client }

func (deafSDK) SessionUpdate(context.Context, sdk.SessionNotification) error { return nil }

func sdkTalk(ctx context.Context) (spoken, error) {
	s, err := startSpeaker(spokenScript)
	if err != nil {
		return spoken{}, err
	}
	defer s.close()
	c := sdk.NewClientSideConnection(deafSDK{}, s.in, io.Reader(s.out))
	c.SetLogger(slog.New(slog.DiscardHandler))
	return hear(func() error {
		_, err := c.Prompt(ctx, sdk.PromptRequest{
			SessionId: "s1", Prompt: []sdk.ContentBlock{sdk.TextBlock("hi")},
		})
		return err
	})
}
