package control

import (
	"context"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/webhook"
)

const (
	// postMost bounds how long the postman sleeps: of what another process of
	// Blaise left behind nobody tells it.
	postMost = 30 * time.Second
	// postAtOnce is how many deliveries of one webhook are under way at once.
	postAtOnce = 8
	// postLease is how long a delivery is this process's own: longer than an
	// attempt and its writing down take.
	postLease = time.Minute
	// postKept is how long what was delivered, or given up, is listed.
	postKept = 30 * 24 * time.Hour
)

// A postman delivers what webhooks are told. Each webhook has its own round, so
// that one that does not answer keeps none of the others waiting. Of several
// processes of Blaise, the one that claims a delivery sends it.
type postman struct {
	c    *Control
	kick chan struct{}

	mu      sync.Mutex // guards rounds
	rounds  map[blaise.WebhookID]bool
	cleaned time.Time // when it last forgot what is old; of the goroutine that looks
}

func newPostman(c *Control) *postman {
	return &postman{c: c, kick: make(chan struct{}, 1), rounds: map[blaise.WebhookID]bool{}}
}

// hint tells of deliveries that were just written.
func (p *postman) hint() {
	select {
	case p.kick <- struct{}{}:
	default: // it will look anyway
	}
}

func (p *postman) run(ctx context.Context) {
	var rounds sync.WaitGroup
	defer rounds.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-p.kick:
		}
		wait, err := p.look(ctx, &rounds)
		if err != nil && ctx.Err() == nil {
			p.c.log.Error("webhooks not read", "error", err)
			wait = time.Second
		}
		timer.Reset(wait)
	}
}

// look begins a round for each webhook that has something due, and answers how
// long there is nothing to do.
func (p *postman) look(ctx context.Context, rounds *sync.WaitGroup) (time.Duration, error) {
	now := p.c.now()
	if err := p.clean(ctx, now); err != nil {
		return 0, err
	}
	due, err := p.c.db.DueWebhooks(ctx, now)
	if err != nil {
		return 0, err
	}
	for _, id := range due {
		if p.begin(id) {
			rounds.Go(func() { p.round(ctx, id) })
		}
	}
	next, any, err := p.c.db.NextDelivery(ctx, now)
	if err != nil || !any {
		return postMost, err
	}
	return min(max(next.Sub(p.c.now()), time.Millisecond), postMost), nil
}

// clean forgets, now and then, what is listed no more.
func (p *postman) clean(ctx context.Context, now time.Time) error {
	if now.Sub(p.cleaned) < time.Hour && !now.Before(p.cleaned) {
		return nil
	}
	p.cleaned = now
	return p.c.db.Tx(ctx, func(tx *store.Tx) error { return tx.ForgetDeliveries(now.Add(-postKept)) })
}

// begin says whether nobody is on the round of a webhook yet.
func (p *postman) begin(id blaise.WebhookID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rounds[id] {
		return false
	}
	p.rounds[id] = true
	return true
}

// round delivers what is due of a webhook until nothing is.
func (p *postman) round(ctx context.Context, id blaise.WebhookID) {
	n, err := 1, error(nil)
	for n > 0 && err == nil && ctx.Err() == nil {
		n, err = p.some(ctx, id)
	}
	p.mu.Lock()
	delete(p.rounds, id)
	p.mu.Unlock()
	if err == nil {
		p.hint() // something may have come after the last claim found nothing
	} else if ctx.Err() == nil { // tried again after postMost
		p.c.log.Error("webhook not served", "webhook", id, "error", err)
	}
}

// some delivers a few at once, and says how many it had.
func (p *postman) some(ctx context.Context, id blaise.WebhookID) (int, error) {
	w, secret, err := p.c.db.WebhookSecret(ctx, id)
	if err != nil && blaise.CodeOf(err) == blaise.CodeNotFound { // deleted while a decision was told to it
		return 0, p.c.db.Tx(ctx, func(tx *store.Tx) error { return tx.GiveUp(id) })
	}
	if err != nil {
		return 0, err
	}
	claimed, err := p.claim(ctx, id)
	if err != nil {
		return 0, err
	}
	var sending sync.WaitGroup
	for _, d := range claimed {
		sending.Go(func() {
			r := p.c.sender.Send(ctx, webhook.Message{
				URL: w.URL, Secret: secret, ID: string(d.ID), At: p.c.now(), Body: d.Body,
			})
			if err := p.keep(ctx, d, r); err != nil {
				p.c.log.Error("delivery not written down", "delivery", d.ID, "error", err)
			}
		})
	}
	sending.Wait()
	return len(claimed), nil
}

// claim takes what is due for this process, and writes down that it is about to
// be sent.
func (p *postman) claim(ctx context.Context, id blaise.WebhookID) ([]store.Delivery, error) {
	var mine []store.Delivery
	err := p.c.db.Tx(ctx, func(tx *store.Tx) error {
		now := p.c.now()
		var err error
		if mine, err = tx.DueDeliveries(id, now, postAtOnce); err != nil {
			return err
		}
		for i := range mine {
			attempted(&mine[i], now)
			if err := tx.PutDelivery(mine[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return mine, err
}

// keep writes down how an attempt went, also when Blaise is told to end.
func (p *postman) keep(ctx context.Context, sent store.Delivery, r webhook.Result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return p.c.db.Tx(ctx, func(tx *store.Tx) error {
		w, err := tx.Webhook(sent.Webhook)
		if err != nil {
			return unlessGone(err)
		}
		d, err := tx.Delivery(sent.ID)
		if err != nil {
			return unlessGone(err)
		}
		v := verdictOn(&w, &d, r, p.c.now())
		if v.changed {
			if err := tx.PutWebhook(w); err != nil {
				return err
			}
		}
		if err := tx.PutDelivery(d); err != nil {
			return err
		}
		if !v.disabled {
			return nil
		}
		p.c.log.Warn("webhook disabled", "webhook", w.ID, "reason", w.DisabledWhy)
		return tx.GiveUp(w.ID)
	})
}

// unlessGone is nil for what was deleted meanwhile.
func unlessGone(err error) error {
	if err != nil && blaise.CodeOf(err) == blaise.CodeNotFound {
		return nil
	}
	return err
}
