package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"blaise.dev/blaise"
)

// A SessionDiff answers GET /api/sessions/{id}/diff?wait=: what the session changed, as
// its run told it last. Asked: the live run was asked to look, and has not told
// within the wait.
type SessionDiff struct {
	Session blaise.SessionID `json:"session"`
	blaise.Diff
	Asked bool `json:"asked,omitempty"`
}

// Diff asks what a session changed. A run that is alive looks, for which the
// answer waits up to wait. CodeNotFound: no run has told yet.
func (c *Client) Diff(ctx context.Context, id blaise.SessionID, wait time.Duration) (SessionDiff, error) {
	var out SessionDiff
	return out, c.do(ctx, call{
		method: http.MethodGet, path: "/api/sessions/" + esc(id) + "/diff", out: &out,
		query: url.Values{"wait": {seconds(wait)}}, within: wait + shortDeadline,
	})
}
