package api

import (
	"context"
	"net/url"
	"strconv"

	"blaise.dev/blaise"
)

// An AuditFilter chooses lines of the audit record; empty fields choose all.
type AuditFilter struct {
	By     string           // who did it
	Kind   blaise.AuditKind // what was done
	Before int64            // next of the page before
	Limit  int              // at most so many, 50 if it is 0
}

// Audits answers GET /api/audit: who did what to Blaise itself, the latest
// first. Next is the before of the page after this one, 0 if there is none.
type Audits struct {
	Lines []blaise.Audit `json:"lines"`
	Next  int64          `json:"next,omitempty"`
}

// Audits lists who did what to Blaise itself; for administrators. CodeInvalid:
// there is no such kind.
func (c *Client) Audits(ctx context.Context, f AuditFilter) (Audits, error) {
	q := url.Values{"by": {f.By}, "kind": {string(f.Kind)}}
	if f.Before > 0 {
		q.Set("before", strconv.FormatInt(f.Before, 10))
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var out Audits
	return out, c.get(ctx, "/api/audit", q, &out)
}
