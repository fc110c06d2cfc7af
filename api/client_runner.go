package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"blaise.dev/blaise"
)

// Hello tells Blaise of an instance. Runner token.
func (c *Client) Hello(ctx context.Context, h Hello) (Welcome, error) {
	var w Welcome
	return w, c.post(ctx, "/api/runner/hello", h, &w)
}

// Offers asks for runs to take, and waits up to wait for the first. slots is
// how many runs the instance has room for. Runner token.
func (c *Client) Offers(
	ctx context.Context, instance blaise.InstanceID, boot string, slots int, wait time.Duration,
) (Offers, error) {
	var o Offers
	return o, c.do(ctx, call{
		method: http.MethodGet, path: "/api/runner/offers", out: &o, within: wait + shortDeadline,
		query: url.Values{
			"instance": {string(instance)}, "boot": {boot},
			"slots": {strconv.Itoa(slots)}, "wait": {seconds(wait)},
		},
	})
}

// Accept takes an offered run; the same nonce gets the same lease again.
// CodeRefused: another instance has it. Runner token.
func (c *Client) Accept(ctx context.Context, run blaise.RunID, a Accept) (Lease, error) {
	var l Lease
	return l, c.post(ctx, "/api/runner/runs/"+esc(run)+"/accept", a, &l)
}

// Drain asks that the instance be taken out of service (X11). Runner token.
func (c *Client) Drain(ctx context.Context, d Drain) (Drained, error) {
	var out Drained
	return out, c.post(ctx, "/api/runner/drain", d, &out)
}

// Goodbye says that the instance has stopped. CodeNotFound: it is not known, or
// Blaise knows no such call yet. Runner token.
func (c *Client) Goodbye(ctx context.Context, g Goodbye) error {
	return c.post(ctx, "/api/runner/goodbye", g, nil)
}

// SpawnFailed says that the process of an accepted run could not be started
// (A25). Runner token.
func (c *Client) SpawnFailed(ctx context.Context, run blaise.RunID, e RunEnd) error {
	return c.post(ctx, "/api/runner/runs/"+esc(run)+"/spawn-failed", e, nil)
}

// Dead says that a run and all it started are gone (X2). Runner token.
func (c *Client) Dead(ctx context.Context, run blaise.RunID, e RunEnd) error {
	return c.post(ctx, "/api/runner/runs/"+esc(run)+"/dead", e, nil)
}
