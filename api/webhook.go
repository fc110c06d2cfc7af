package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"blaise.dev/blaise"
)

// A Webhook is an address that is told of what happens (docs/webhooks.md).
type Webhook struct {
	ID           blaise.WebhookID  `json:"id"`
	URL          string            `json:"url"`
	Events       []blaise.NewsKind `json:"events"`
	By           string            `json:"by"`
	CreatedAt    time.Time         `json:"created_at"`
	FailingSince time.Time         `json:"failing_since,omitzero"` // no attempt has succeeded since
	DisabledAt   time.Time         `json:"disabled_at,omitzero"`   // it is told nothing since
	DisabledWhy  string            `json:"disabled_why,omitempty"`
	Secret       string            `json:"secret,omitempty"` // in the answer to its making alone
}

// NewWebhook is the body of POST /api/webhooks. Without events it is told of
// all.
type NewWebhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events,omitempty"`
}

// A Delivery is something that a webhook is told, and how that went.
type Delivery struct {
	ID        blaise.DeliveryID `json:"id"` // the header webhook-id
	Webhook   blaise.WebhookID  `json:"webhook"`
	Event     blaise.NewsKind   `json:"event"`
	Session   blaise.SessionID  `json:"session"`
	State     string            `json:"state"` // waiting, delivered, failed
	CreatedAt time.Time         `json:"created_at"`
	NextAt    time.Time         `json:"next_at,omitzero"` // of a waiting one: the next attempt
	Attempts  []Attempt         `json:"attempts"`         // the last ones, oldest first
	Body      json.RawMessage   `json:"body"`
}

// An Attempt is one try to deliver: the status of the answer, or why there was
// none; neither while it is under way.
type Attempt struct {
	At     time.Time `json:"at"`
	Took   float64   `json:"took"` // seconds
	Status int       `json:"status,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// Deliveries answers GET /api/webhooks/{id}/deliveries: the latest first. Next
// is the before of the page after this one, "" if there is none.
type Deliveries struct {
	Deliveries []Delivery        `json:"deliveries"`
	Next       blaise.DeliveryID `json:"next,omitempty"`
}

// The calls of this file carry the token of an administrator.

// NewWebhook makes a webhook; its Secret is shown this once.
func (c *Client) NewWebhook(ctx context.Context, n NewWebhook) (Webhook, error) {
	var out Webhook
	return out, c.post(ctx, "/api/webhooks", n, &out)
}

// Webhooks lists the webhooks, oldest first.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	var out []Webhook
	return out, c.get(ctx, "/api/webhooks", nil, &out)
}

// DeleteWebhook forgets a webhook and all that it was told.
func (c *Client) DeleteWebhook(ctx context.Context, id blaise.WebhookID) error {
	return c.do(ctx, call{method: http.MethodDelete, path: "/api/webhooks/" + esc(id)})
}

// EnableWebhook has a disabled webhook told again, of what happens from now on.
func (c *Client) EnableWebhook(ctx context.Context, id blaise.WebhookID) error {
	return c.post(ctx, "/api/webhooks/"+esc(id)+"/enable", struct{}{}, nil)
}

// Deliveries lists what a webhook was told: those before an id, or the last
// ones where it is "".
func (c *Client) Deliveries(
	ctx context.Context, id blaise.WebhookID, before blaise.DeliveryID, limit int,
) (Deliveries, error) {
	q := url.Values{"limit": {strconv.Itoa(limit)}, "before": {string(before)}}
	var out Deliveries
	return out, c.get(ctx, "/api/webhooks/"+esc(id)+"/deliveries", q, &out)
}

// Redeliver sends a delivery again, at once and under the same id.
func (c *Client) Redeliver(ctx context.Context, id blaise.DeliveryID) error {
	return c.post(ctx, "/api/deliveries/"+esc(id)+"/redeliver", struct{}{}, nil)
}
