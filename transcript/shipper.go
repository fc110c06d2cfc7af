package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"blaise.dev/blaise"
)

// A Sender takes entries to their receiver, in order. It may be given an entry
// again; the receiver knows it by its number. A *blaise.Error of CodeStale,
// CodeInvalid or CodeRefused means that they will never be taken; anything
// else is tried again.
type Sender interface {
	Send(ctx context.Context, entries []Entry) (Receipt, error)
}

// A Receipt is what the receiver answers.
type Receipt struct {
	// Acked says that it has everything up to here.
	Acked int64 `json:"acked"`
	// Answers are those to all reports of the batch up to Acked, by number. A
	// report that is sent again is given the same answer.
	Answers map[int64]json.RawMessage `json:"answers,omitempty"`
}

// ShipperOptions are the settings of a Shipper; zero fields mean the defaults.
type ShipperOptions struct {
	Flush      time.Duration // how long an event waits for others, 20 ms
	MaxEntries int           // in one Send, 200
	MaxBytes   int           // of data in one Send, 256 KB
	BackoffMin time.Duration // before the first retry, 200 ms
	BackoffMax time.Duration // 5 s
	Log        *slog.Logger
}

func (o ShipperOptions) withDefaults() ShipperOptions {
	o.Flush = cmp.Or(o.Flush, 20*time.Millisecond)
	o.MaxEntries = cmp.Or(o.MaxEntries, 200)
	o.MaxBytes = cmp.Or(o.MaxBytes, 256<<10)
	o.BackoffMin = cmp.Or(o.BackoffMin, 200*time.Millisecond)
	o.BackoffMax = cmp.Or(o.BackoffMax, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// A Shipper takes a spool to its receiver: everything, in order, once. An
// entry is on the disk before it is sent, so that no crash can use its number
// for another.
type Shipper struct {
	spool *Spool
	to    Sender
	o     ShipperOptions
	desk  desk
}

// NewShipper returns a shipper; Run makes it work.
func NewShipper(s *Spool, to Sender, o ShipperOptions) *Shipper {
	return &Shipper{spool: s, to: to, o: o.withDefaults(), desk: newDesk()}
}

// Run ships until ctx ends, and returns its cause. It outlasts every outage.
// It fails when the receiver refuses the record or the lease is stale, or the
// spool is broken or closed; who waits in Report or Drain then gets that error.
// After the end of ctx it may be run again.
func (sh *Shipper) Run(ctx context.Context) error {
	for {
		err := sh.shipOnce(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			err = fmt.Errorf("ship transcript: %w", err)
			sh.desk.fail(err)
			sh.spool.wake()
			return err
		}
	}
}

// shipOnce waits for entries and ships one batch.
func (sh *Shipper) shipOnce(ctx context.Context) error {
	if err := sh.spool.Wait(ctx, sh.spool.Acked()); err != nil {
		return err
	}
	sh.gather(ctx)
	entries, err := sh.spool.Read(sh.spool.Acked()+1, sh.o.MaxEntries, sh.o.MaxBytes)
	if err != nil || len(entries) == 0 {
		return err
	}
	if err := sh.spool.syncTo(entries[len(entries)-1].N); err != nil {
		return err
	}
	receipt, err := sh.send(ctx, entries)
	if err != nil {
		return err
	}
	// What a lost receipt acknowledged of later entries is sent again, since its
	// answers are lost, too.
	receipt.Acked = min(receipt.Acked, entries[len(entries)-1].N)
	sh.desk.answer(receipt)
	return sh.spool.Ack(receipt.Acked)
}

// gather lets events come together. A report, or a full batch, does not wait.
func (sh *Shipper) gather(ctx context.Context) {
	t := time.NewTimer(sh.o.Flush)
	defer t.Stop()
	for !sh.spool.pressing(int64(sh.o.MaxEntries)) {
		select {
		case <-sh.spool.urgent:
		case <-t.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// send tries until the receiver takes at least the first of the entries.
func (sh *Shipper) send(ctx context.Context, entries []Entry) (Receipt, error) {
	var since time.Time // of the outage
	for wait := sh.o.BackoffMin; ; wait = min(2*wait, sh.o.BackoffMax) {
		receipt, err := sh.to.Send(ctx, entries)
		if err == nil {
			err = sh.check(receipt, entries)
		}
		if err == nil {
			if !since.IsZero() {
				sh.o.Log.Info("transcript is shipped again", "outage", time.Since(since))
			}
			return receipt, nil
		}
		if ctx.Err() != nil || final(err) {
			return Receipt{}, err
		}
		if since.IsZero() {
			since = time.Now()
			sh.o.Log.Warn("transcript is not shipped, trying on", "from", entries[0].N, "error", err)
		}
		if err := sleep(ctx, wait/2+rand.N(wait/2+1)); err != nil {
			return Receipt{}, err
		}
	}
}

// check refuses receipts that make no progress or claim what was not sent.
func (sh *Shipper) check(r Receipt, entries []Entry) error {
	if last := sh.spool.Last(); r.Acked > last {
		return blaise.Errorf(blaise.CodeInvalid,
			"the receiver acknowledged entry %d of a spool that ends at %d", r.Acked, last)
	}
	if r.Acked < entries[0].N {
		return fmt.Errorf("the receiver took nothing: acknowledged %d, sent %d to %d",
			r.Acked, entries[0].N, entries[len(entries)-1].N)
	}
	return nil
}

func final(err error) bool {
	var e *blaise.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code == blaise.CodeStale || e.Code == blaise.CodeInvalid || e.Code == blaise.CodeRefused
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
