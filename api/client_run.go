package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

var _ transcript.Sender = (*Client)(nil)

// The calls of this file carry a run's lease token. CodeStale means: stop now,
// touch no layer (X2).

// Connect is a run's first call.
func (c *Client) Connect(ctx context.Context) (Connected, error) {
	var out Connected
	return out, c.post(ctx, "/api/run/connect", struct{}{}, &out)
}

// Beat is the heartbeat.
func (c *Client) Beat(ctx context.Context, b Beat) (Beaten, error) {
	var out Beaten
	return out, c.do(ctx, call{
		method: http.MethodPost, path: "/api/run/beat", in: b, out: &out,
		client: c.beats, within: beatDeadline,
	})
}

// Directives asks for the directives not received with a number above after,
// and waits up to wait for the first.
func (c *Client) Directives(ctx context.Context, after int64, wait time.Duration) (Directives, error) {
	var out Directives
	return out, c.do(ctx, call{
		method: http.MethodGet, path: "/api/run/directives", out: &out, within: wait + shortDeadline,
		query: url.Values{"after": {strconv.FormatInt(after, 10)}, "wait": {seconds(wait)}},
	})
}

// Received confirms directive n, and says whether it binds: VerdictVoid if it
// was taken back.
func (c *Client) Received(ctx context.Context, n int64) (Received, error) {
	var out Received
	err := c.post(ctx, "/api/run/directives/"+strconv.FormatInt(n, 10)+"/received", struct{}{}, &out)
	var void *voidError
	if errors.As(err, &void) {
		return Received{Verdict: blaise.VerdictVoid}, nil
	}
	return out, err
}

// Claim delivers a message, just before its prompt is written (X1).
func (c *Client) Claim(ctx context.Context, message blaise.MessageID) (Claimed, error) {
	var out Claimed
	return out, c.post(ctx, "/api/run/messages/"+esc(message)+"/claim", struct{}{}, &out)
}

// Send ships entries of the outbox; they may have been sent before.
func (c *Client) Send(ctx context.Context, entries []transcript.Entry) (transcript.Receipt, error) {
	var out transcript.Receipt
	return out, c.do(ctx, call{
		method: http.MethodPost, path: "/api/run/outbox", in: Outbox{Entries: entries}, out: &out,
		client: c.uploads, within: uploadDeadline,
	})
}

// PutDiff has Blaise keep what the session changed, in the place of what it was
// told before.
func (c *Client) PutDiff(ctx context.Context, d blaise.Diff) error {
	return c.do(ctx, call{
		method: http.MethodPut, path: "/api/run/diff", in: d, client: c.uploads, within: uploadDeadline,
	})
}

// PlugState is what a plug saved last in this environment, nil for nothing.
func (c *Client) PlugState(ctx context.Context, plug string) ([]byte, error) {
	var out PlugState
	err := c.get(ctx, "/api/run/plugs/"+esc(plug)+"/state", nil, &out)
	return out.State, err
}
