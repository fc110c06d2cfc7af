package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// A desk brings the receiver's answers to who reported.
type desk struct {
	mu        sync.Mutex                // guards what follows
	through   int64                     // answered up to here
	expected  int                       // reports on their way into the spool
	unclaimed map[int64]json.RawMessage // answers that came before their report knew its number
	waiting   map[int64]chan json.RawMessage
	failed    chan struct{} // closed when err is set
	err       error         // of a Run that failed
}

func newDesk() desk {
	return desk{
		unclaimed: make(map[int64]json.RawMessage),
		waiting:   make(map[int64]chan json.RawMessage),
		failed:    make(chan struct{}),
	}
}

// Report appends a report, durably, and waits for the receiver's answer; null
// if it has none. Run must be running. It fails with the error of a Run that
// failed, or the cause of ctx; the report is then in the spool and is shipped
// all the same if a shipper runs again.
func (sh *Shipper) Report(ctx context.Context, data []byte) (json.RawMessage, error) {
	sh.desk.expect()
	n, err := sh.spool.Append(EntryReport, data, true)
	answer := sh.desk.claim(n)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	select {
	case a := <-answer:
		return a, nil
	case <-sh.desk.failed:
		err = sh.desk.failure()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	sh.desk.leave(n)
	return nil, fmt.Errorf("report: %w", err)
}

// Drain returns when everything in the spool is acknowledged. Run must be
// running; Drain fails with its error, or the cause of ctx.
func (sh *Shipper) Drain(ctx context.Context) error {
	notify(sh.spool.urgent)
	err := sh.spool.until(ctx, func() bool {
		return sh.spool.acked == sh.spool.last || sh.desk.failure() != nil
	})
	if failure := sh.desk.failure(); failure != nil && !sh.spool.Empty() {
		err = failure
	}
	if err != nil {
		return fmt.Errorf("drain transcript: %w", err)
	}
	return nil
}

func (d *desk) expect() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expected++
}

// claim registers report n for its answer, which may have come. n is 0 for a
// report that could not be appended.
func (d *desk) claim(n int64) <-chan json.RawMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	answer := make(chan json.RawMessage, 1)
	if n > 0 && n <= d.through {
		answer <- orNull(d.unclaimed[n])
	} else if n > 0 {
		d.waiting[n] = answer
	}
	if d.expected--; d.expected == 0 {
		clear(d.unclaimed)
	}
	return answer
}

func (d *desk) leave(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waiting, n)
}

// answer takes a receipt.
func (d *desk) answer(r Receipt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.through = max(d.through, r.Acked)
	for n, answer := range d.waiting {
		if n <= r.Acked {
			answer <- orNull(r.Answers[n])
			delete(d.waiting, n)
		}
	}
	if d.expected == 0 {
		return
	}
	for n, a := range r.Answers {
		d.unclaimed[n] = a
	}
}

func (d *desk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
		close(d.failed)
	}
}

func (d *desk) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func orNull(a json.RawMessage) json.RawMessage {
	if len(a) == 0 {
		return json.RawMessage("null")
	}
	return a
}
