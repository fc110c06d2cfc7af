package control

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/webhook"

	"github.com/google/uuid"
)

// redeliverAfter is how long after each failed attempt the next is made, as the
// Standard Webhooks specification proposes: most faults are over in minutes,
// and a receiver that is down over a weekend loses nothing.
var redeliverAfter = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// disableAfter is how long no attempt may have succeeded before a webhook is
// told nothing more: longer than the tries of one delivery last.
const disableAfter = 5 * 24 * time.Hour

// attemptsKept is how many attempts of one delivery are listed.
const attemptsKept = 20

// announce writes down, with the decision itself, what webhooks are to be told
// of it.
func (c *Control) announce(tx *store.Tx, news []blaise.News) error {
	if len(news) == 0 {
		return nil
	}
	all, err := tx.Webhooks()
	if err != nil {
		return err
	}
	for _, w := range all {
		for _, n := range news {
			if !w.DisabledAt.IsZero() || !slices.Contains(w.Events, n.Kind) {
				continue
			}
			d, err := c.deliveryOf(w.ID, n)
			if err != nil {
				return err
			}
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Control) deliveryOf(w blaise.WebhookID, n blaise.News) (store.Delivery, error) {
	if c.url != "" {
		n.URL = c.url + "/sessions/" + string(n.Session)
	}
	body, err := json.Marshal(struct {
		Type      blaise.NewsKind `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      blaise.News     `json:"data"`
	}{n.Kind, n.At.UTC(), n})
	if err != nil {
		return store.Delivery{}, fmt.Errorf("write body of %s: %w", n.Kind, err)
	}
	now := c.now()
	return store.Delivery{
		ID: blaise.DeliveryID("msg_" + uuid.Must(uuid.NewV7()).String()), Webhook: w, Kind: n.Kind,
		Session: n.Session, Body: body, CreatedAt: now, DueAt: now,
	}, nil
}

// attempted begins an attempt at a delivery that was claimed. One before it of
// which nobody wrote down the end died with its process.
func attempted(d *store.Delivery, now time.Time) {
	if i := len(d.Attempts) - 1; i >= 0 && !d.Attempts[i].Over() {
		d.Attempts[i].Error = "Blaise ended before it wrote down an answer"
	}
	d.Tries++
	d.Attempts = append(d.Attempts, store.Attempt{At: now})
	if n := len(d.Attempts) - attemptsKept; n > 0 {
		d.Attempts = d.Attempts[n:]
	}
	d.DueAt = now.Add(postLease)
}

// A verdict says what an attempt means beyond its delivery.
type verdict struct {
	changed  bool // the webhook's row
	disabled bool
}

// verdictOn notes the result of the last attempt and what follows from it.
func verdictOn(w *store.Webhook, d *store.Delivery, r webhook.Result, now time.Time) verdict {
	if i := len(d.Attempts) - 1; i >= 0 {
		d.Attempts[i].Status, d.Attempts[i].Took, d.Attempts[i].Error = r.Status, r.Took, textOf(r.Err)
	}
	d.DueAt = time.Time{}
	if r.OK() {
		d.DeliveredAt = now
		changed := !w.FailingSince.IsZero()
		w.FailingSince = time.Time{}
		return verdict{changed: changed}
	}
	if d.Tries <= len(redeliverAfter) && w.DisabledAt.IsZero() {
		after := redeliverAfter[max(d.Tries, 1)-1]
		d.DueAt = now.Add(after + rand.N(after/5)) // what failed together is not tried together
	}
	v := verdict{changed: w.FailingSince.IsZero()}
	if v.changed {
		w.FailingSince = now
	}
	if why := hopeless(*w, r, now); why != "" && w.DisabledAt.IsZero() {
		w.DisabledAt, w.DisabledWhy = now, why
		d.DueAt = time.Time{}
		return verdict{changed: true, disabled: true}
	}
	return v
}

// hopeless says why a webhook should be told nothing more, "" if it should.
func hopeless(w store.Webhook, r webhook.Result, now time.Time) string {
	last := fmt.Sprintf("it answers %d %s", r.Status, http.StatusText(r.Status))
	if r.Err != nil {
		last = r.Err.Error()
	}
	switch {
	case r.Status == http.StatusGone:
		return "it answered 410 Gone"
	case now.Sub(w.FailingSince) >= disableAfter:
		return "no attempt has succeeded since " + w.FailingSince.Format(time.RFC3339) + ": " + last
	}
	return ""
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
