package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// Status asks how Blaise is. User token.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	return s, c.get(ctx, "/statusz", url.Values{"format": {"json"}}, &s)
}

// Metrics copies what Blaise has measured, as Prometheus reads it. User token.
func (c *Client) Metrics(ctx context.Context, w io.Writer) error {
	return c.do(ctx, call{method: http.MethodGet, path: "/metrics", out: w})
}
