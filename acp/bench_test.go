package acp_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

// sdkClient drops updates; what it does not define is not called.
type sdkClient struct {
	sdk.Client
}

func (sdkClient) SessionUpdate(context.Context, sdk.SessionNotification) error { return nil }

// burstSize stays under what makes the SDK give up its connection.
const burstSize = 1000

func BenchmarkUpdates(b *testing.B) {
	b.Run("ours raw", func(b *testing.B) { benchmarkOurs(b, func(acp.Update) {}) })
	b.Run("ours text", func(b *testing.B) { benchmarkOurs(b, func(u acp.Update) { u.Text() }) })
	b.Run("sdk", benchmarkSDK)
}

// quiet is a handler that keeps nothing.
type quiet struct {
	*recorder
	update func(acp.Update)
}

func (q quiet) Update(u acp.Update) { q.update(u) }

func benchmarkOurs(b *testing.B, update func(acp.Update)) {
	a := acptest.Spawn(b, acptest.Script{Burst: burstSize, Size: 100})
	c := acp.NewClient(a.Stdin, a.Stdout, quiet{&recorder{}, update}, acp.Options{})
	ran := make(chan error, 1)
	go func() { ran <- c.Run(context.Background()) }()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Prompt(b.Context(), "s1", nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*burstSize/b.Elapsed().Seconds(), "msg/s")
	c.CloseInput()
	<-ran
}

func benchmarkSDK(b *testing.B) {
	a := acptest.Spawn(b, acptest.Script{Burst: burstSize, Size: 100})
	c := sdk.NewClientSideConnection(sdkClient{}, a.Stdin, io.Reader(a.Stdout))
	c.SetLogger(slog.New(slog.DiscardHandler))
	b.ReportAllocs()
	for b.Loop() {
		_, err := c.Prompt(b.Context(), sdk.PromptRequest{
			SessionId: "s1", Prompt: []sdk.ContentBlock{sdk.TextBlock("hi")},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*burstSize/b.Elapsed().Seconds(), "msg/s")
}
