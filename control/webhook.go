package control

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/near"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/webhook"
)

// A NewWebhook asks for a webhook. Without events it is told of all.
type NewWebhook struct {
	URL    string
	Events []string
}

// CreateWebhook makes a webhook and its secret, which is shown this once.
// CodeInvalid: the address or an event is none.
func (c *Control) CreateWebhook(ctx context.Context, by string, n NewWebhook) (store.Webhook, webhook.Secret, error) {
	w := store.Webhook{URL: n.URL, By: by, CreatedAt: c.now()}
	if err := c.sender.CheckURL(n.URL); err != nil {
		return w, nil, c.badURL(err)
	}
	var err error
	if w.Events, err = newsKinds(n.Events); err != nil {
		return w, nil, err
	}
	secret := webhook.NewSecret()
	for {
		w.ID = blaise.NewWebhookID()
		line := blaise.Audit{By: by, Kind: blaise.AuditWebhookCreated, Thing: string(w.ID), Detail: placeOf(w.URL)}
		err := c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error { return tx.CreateWebhook(w, secret) })
		if errors.Is(err, store.ErrExists) {
			continue
		}
		return w, secret, err
	}
}

func (c *Control) badURL(err error) error {
	e := blaise.Errorf(blaise.CodeInvalid, "create webhook: %s", err)
	if errors.Is(err, webhook.ErrPrivate) {
		return e.WithHint("only public addresses are told; to reach your own network, " +
			"start `blaise serve` with --webhook-allow-private")
	}
	return e.WithHint("write it as https://example.org/path; in your own network it may be http://, " +
		"where `blaise serve` was started with --webhook-allow-private")
}

// newsKinds reads names of kinds; none stands for all.
func newsKinds(names []string) ([]blaise.NewsKind, error) {
	all := blaise.NewsKinds()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, k := range all {
		known = append(known, string(k))
	}
	var kinds []blaise.NewsKind
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, blaise.Errorf(blaise.CodeInvalid, "create webhook: no event is called %q%s",
				name, near.DidYouMean(name, known)).WithHint("one of %s", strings.Join(known, ", "))
		}
		if k := blaise.NewsKind(name); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// Webhooks lists the webhooks, oldest first.
func (c *Control) Webhooks(ctx context.Context) ([]store.Webhook, error) { return c.db.Webhooks(ctx) }

// DeleteWebhook forgets a webhook and all that it was told. CodeNotFound.
func (c *Control) DeleteWebhook(ctx context.Context, by string, id blaise.WebhookID) error {
	line := blaise.Audit{By: by, Kind: blaise.AuditWebhookDeleted, Thing: string(id)}
	return c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		w, err := tx.Webhook(id)
		if err != nil {
			return err
		}
		line.Detail = placeOf(w.URL)
		return tx.DeleteWebhook(id)
	})
}

// placeOf is an address without what may be a key in it.
func placeOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// EnableWebhook has a webhook that was disabled told again, of what happens from
// now on. CodeNotFound.
func (c *Control) EnableWebhook(ctx context.Context, by string, id blaise.WebhookID) error {
	line := blaise.Audit{By: by, Kind: blaise.AuditWebhookEnabled, Thing: string(id)}
	return c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		w, err := tx.Webhook(id)
		if err != nil {
			return err
		}
		w.FailingSince, w.DisabledAt, w.DisabledWhy = time.Time{}, time.Time{}, ""
		return tx.PutWebhook(w)
	})
}

// Deliveries lists what a webhook was told, the latest first: those before an
// id, or the last ones where it is "". CodeNotFound.
func (c *Control) Deliveries(
	ctx context.Context, id blaise.WebhookID, before blaise.DeliveryID, limit int,
) ([]store.Delivery, error) {
	all, err := c.db.Webhooks(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(w store.Webhook) bool { return w.ID == id }) {
		return nil, blaise.Errorf(blaise.CodeNotFound, "webhook %s: not found", id).
			WithHint("see `blaise webhook list`")
	}
	return c.db.Deliveries(ctx, id, before, limit)
}

// Redeliver sends a delivery again, at once and under the same id, and begins a
// new series of tries. CodeNotFound; CodeRefused: its webhook is disabled.
func (c *Control) Redeliver(ctx context.Context, by string, id blaise.DeliveryID) error {
	line := blaise.Audit{By: by, Kind: blaise.AuditRedelivered, Thing: string(id)}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		d, err := tx.Delivery(id)
		if err != nil {
			return err
		}
		w, err := tx.Webhook(d.Webhook)
		if err != nil {
			return err
		}
		if !w.DisabledAt.IsZero() {
			return blaise.Errorf(blaise.CodeRefused, "webhook %s is disabled: %s", w.ID, w.DisabledWhy).
				WithHint("blaise webhook enable %s", w.ID)
		}
		d.DueAt, d.Tries, line.Detail = c.now(), 0, "to "+string(w.ID)
		return tx.PutDelivery(d)
	})
	if err == nil {
		c.post.hint()
	}
	return err
}
