package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// A Webhook is an address that is told of what happens.
type Webhook struct {
	ID           blaise.WebhookID
	URL          string
	Events       []blaise.NewsKind
	By           string
	CreatedAt    time.Time
	FailingSince time.Time // since when no attempt has succeeded; zero: the last one did
	DisabledAt   time.Time // zero: it is told
	DisabledWhy  string
}

// CreateWebhook writes a new webhook and seals its secret. CodeInvalid: the
// store has no identity to seal it for.
func (tx *Tx) CreateWebhook(w Webhook, secret []byte) error {
	if tx.db.seal == nil {
		return blaise.Errorf(blaise.CodeInvalid, "create webhook: the store has no identity").
			WithHint("start blaise serve with an identity file")
	}
	sealed, err := tx.db.seal.close(secret)
	if err != nil {
		return fmt.Errorf("seal secret of webhook %s: %w", w.ID, err)
	}
	utc(&w.CreatedAt)
	n, err := tx.q.exec(`INSERT INTO webhooks (id, created_at, secret, body) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, string(w.ID), nanos(w.CreatedAt), sealed, encode(w))
	if err == nil && n == 0 {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("create webhook %s: %w", w.ID, err)
	}
	return nil
}

// PutWebhook changes a webhook; one that is not there stays so.
func (tx *Tx) PutWebhook(w Webhook) error {
	utc(&w.CreatedAt, &w.FailingSince, &w.DisabledAt)
	if err := tx.exec(`UPDATE webhooks SET body = ? WHERE id = ?`, encode(w), string(w.ID)); err != nil {
		return fmt.Errorf("write webhook %s: %w", w.ID, err)
	}
	return nil
}

// DeleteWebhook forgets a webhook, its secret, and all that it was told.
// CodeNotFound.
func (tx *Tx) DeleteWebhook(id blaise.WebhookID) error {
	if _, err := tx.Webhook(id); err != nil {
		return err
	}
	if err := tx.exec(`DELETE FROM deliveries WHERE webhook = ?`, string(id)); err != nil {
		return fmt.Errorf("delete deliveries of webhook %s: %w", id, err)
	}
	if err := tx.exec(`DELETE FROM webhooks WHERE id = ?`, string(id)); err != nil {
		return fmt.Errorf("delete webhook %s: %w", id, err)
	}
	return nil
}

// Webhook reads a webhook and keeps it from others until the commit.
// CodeNotFound.
func (tx *Tx) Webhook(id blaise.WebhookID) (Webhook, error) {
	return need[Webhook](tx.q, "webhook "+string(id),
		`SELECT body FROM webhooks WHERE id = ?`+tx.q.d.lock, clean(string(id)))
}

// Webhooks lists the webhooks, oldest first.
func (tx *Tx) Webhooks() ([]Webhook, error) { return webhooks(tx.q) }

// Webhooks lists the webhooks, oldest first.
func (db *DB) Webhooks(ctx context.Context) ([]Webhook, error) { return webhooks(db.read(ctx)) }

func webhooks(q querier) ([]Webhook, error) {
	return bodies[Webhook](q, `SELECT body FROM webhooks ORDER BY created_at, id`)
}

// WebhookSecret reads a webhook and what its deliveries are signed with.
// CodeNotFound.
func (db *DB) WebhookSecret(ctx context.Context, id blaise.WebhookID) (Webhook, []byte, error) {
	var w Webhook
	var sealed, raw []byte
	found, err := db.read(ctx).one([]any{&sealed, &raw},
		`SELECT secret, body FROM webhooks WHERE id = ?`, clean(string(id)))
	if err == nil && !found {
		err = notFound("webhook " + string(id))
	}
	if err != nil {
		return w, nil, err
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return w, nil, fmt.Errorf("read webhook %s: %w", id, err)
	}
	if db.seal == nil {
		return w, nil, fmt.Errorf("open secret of webhook %s: the store has no identity", id)
	}
	secret, err := db.seal.open(sealed)
	if err != nil {
		return w, nil, fmt.Errorf("open secret of webhook %s: %w", id, err)
	}
	return w, secret, nil
}
