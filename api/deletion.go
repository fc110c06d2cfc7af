package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"blaise.dev/blaise"
)

// Settled answers GET /api/settled?older_than=&after=&limit=: sessions that may
// be deleted, the first created first.
type Settled struct {
	Sessions []Summary `json:"sessions"`
	Next     string    `json:"next,omitempty"` // the value of after for the next page
}

// Delete forgets a session that has ended and of which nothing is left. It
// answers what stays. CodeRefused: something may still happen to it, or is left,
// or Blaise has saved work of it that may be nowhere else; with dropWork that
// goes too. Administrators only.
func (c *Client) Delete(
	ctx context.Context, id blaise.SessionID, reason string, dropWork bool,
) (blaise.Deletion, error) {
	var out blaise.Deletion
	query := url.Values{"reason": {reason}}
	if dropWork {
		query.Set("drop_work", "true")
	}
	return out, c.do(ctx, call{
		method: http.MethodDelete, path: session(id, ""), query: query, out: &out,
		within: stopDeadline, // a long transcript and many files take their time
	})
}

// Settled lists sessions that may be deleted and to which nothing has happened
// for a time, as 90d. Administrators only.
func (c *Client) Settled(ctx context.Context, olderThan, after string, limit int) (Settled, error) {
	q := url.Values{"older_than": {olderThan}}
	if after != "" {
		q.Set("after", after)
	}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var out Settled
	return out, c.get(ctx, "/api/settled", q, &out)
}
