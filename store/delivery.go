package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// A Delivery is something that a webhook is told, and how that went.
type Delivery struct {
	ID          blaise.DeliveryID // sorts by time
	Webhook     blaise.WebhookID
	Kind        blaise.NewsKind
	Session     blaise.SessionID
	Body        []byte
	CreatedAt   time.Time
	DueAt       time.Time `json:"-"` // of the next attempt; zero: there is none
	DeliveredAt time.Time // zero: it is not
	Tries       int       // of the present series
	Attempts    []Attempt // the last ones
}

// An Attempt is one try to deliver. One that is neither answered nor failed is
// under way, or its process has ended meanwhile.
type Attempt struct {
	At     time.Time     `json:"at"`
	Took   time.Duration `json:"took"`
	Status int           `json:"status,omitempty"` // of the answer
	Error  string        `json:"error,omitempty"`  // why there was none
}

// Over says that it was answered, or failed.
func (a Attempt) Over() bool { return a.Status != 0 || a.Error != "" }

// PutDelivery writes a delivery.
func (tx *Tx) PutDelivery(d Delivery) error {
	utc(&d.CreatedAt, &d.DeliveredAt)
	err := tx.exec(`INSERT INTO deliveries (id, webhook, created_at, due_at, body) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, body = excluded.body`,
		string(d.ID), string(d.Webhook), nanos(d.CreatedAt), nanos(d.DueAt), encode(d))
	if err != nil {
		return fmt.Errorf("write delivery %s: %w", d.ID, err)
	}
	return nil
}

// Delivery reads a delivery and keeps it from others until the commit.
// CodeNotFound.
func (tx *Tx) Delivery(id blaise.DeliveryID) (Delivery, error) {
	all, err := deliveries(tx.q, `SELECT due_at, body FROM deliveries WHERE id = ?`+tx.q.d.lock,
		clean(string(id)))
	if err == nil && len(all) == 0 {
		err = notFound("delivery " + string(id))
	}
	if err != nil {
		return Delivery{}, err
	}
	return all[0], nil
}

// DueDeliveries reads those of a webhook that are due at now, the most overdue
// first, and keeps them from others until the commit. Of two that read at
// once, the second finds those that the first has left due.
func (tx *Tx) DueDeliveries(id blaise.WebhookID, now time.Time, limit int) ([]Delivery, error) {
	return deliveries(tx.q, `SELECT due_at, body FROM deliveries
		WHERE webhook = ? AND due_at > 0 AND due_at <= ? ORDER BY due_at, id LIMIT ?`+tx.q.d.lock,
		string(id), nanos(now), limit)
}

// GiveUp has nothing more of a webhook be due.
func (tx *Tx) GiveUp(id blaise.WebhookID) error {
	return tx.exec(`UPDATE deliveries SET due_at = 0 WHERE webhook = ? AND due_at > 0`, string(id))
}

// ForgetDeliveries deletes what was written before a time and is not due.
func (tx *Tx) ForgetDeliveries(before time.Time) error {
	return tx.exec(`DELETE FROM deliveries WHERE created_at < ? AND due_at = 0`, nanos(before))
}

// Deliveries lists what a webhook was told, the latest first: those before an
// id, or the last ones where it is "".
func (db *DB) Deliveries(
	ctx context.Context, id blaise.WebhookID, before blaise.DeliveryID, limit int,
) ([]Delivery, error) {
	if before == "" {
		before = "~" // after every id
	}
	return deliveries(db.read(ctx), `SELECT due_at, body FROM deliveries
		WHERE webhook = ? AND id < ? ORDER BY id DESC LIMIT ?`,
		clean(string(id)), clean(string(before)), limit)
}

// DueWebhooks lists the webhooks that have something due at now.
func (db *DB) DueWebhooks(ctx context.Context, now time.Time) ([]blaise.WebhookID, error) {
	var due []blaise.WebhookID
	err := db.read(ctx).each(func(row *sql.Rows) error {
		var id blaise.WebhookID
		err := row.Scan(&id)
		due = append(due, id)
		return err
	}, `SELECT DISTINCT webhook FROM deliveries WHERE due_at > 0 AND due_at <= ?`, nanos(now))
	return due, err
}

// NextDelivery says when the next attempt after now is due; false: none is.
func (db *DB) NextDelivery(ctx context.Context, now time.Time) (time.Time, bool, error) {
	var due int64
	found, err := db.read(ctx).one([]any{&due}, `SELECT due_at FROM deliveries
		WHERE due_at > 0 AND due_at > ? ORDER BY due_at LIMIT 1`, nanos(now))
	return fromNanos(due), found, err
}

func deliveries(q querier, query string, args ...any) ([]Delivery, error) {
	var all []Delivery
	err := q.each(func(row *sql.Rows) error {
		var due int64
		var raw []byte
		if err := row.Scan(&due, &raw); err != nil {
			return err
		}
		var d Delivery
		if err := json.Unmarshal(raw, &d); err != nil {
			return fmt.Errorf("read delivery: %w", err)
		}
		d.DueAt = fromNanos(due)
		all = append(all, d)
		return nil
	}, query, args...)
	return all, err
}
