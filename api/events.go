package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// writeWithin is how long a follower may take to take an event. A slower one
// is cut off: it comes back and reads on.
const writeWithin = 30 * time.Second

// ErrGone says that a follower is gone, or the stream is to end.
var ErrGone = errors.New("the follower is gone")

// An EventWriter writes server-sent events. It is one goroutine's; Close it.
type EventWriter struct {
	w     http.ResponseWriter
	c     *http.ResponseController
	alive *time.Ticker
}

// NewEventWriter begins a stream with an event at once, and gives a sign of
// life every alive while it waits. The writer is to be closed, whatever the error.
func NewEventWriter(w http.ResponseWriter, alive time.Duration) (*EventWriter, error) {
	ev := &EventWriter{w: w, c: http.NewResponseController(w), alive: time.NewTicker(alive)}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx
	w.WriteHeader(http.StatusOK)
	return ev, ev.ping()
}

// Close ends the writer, not the response.
func (ev *EventWriter) Close() {
	ev.alive.Stop()
	_ = ev.c.SetWriteDeadline(time.Time{}) // not all writers can; then none was set
}

func (ev *EventWriter) ping() error { return ev.Write([]byte("event: ping\ndata: {}\n\n")) }

// Send writes one event whose data are v as JSON. Its errors are ErrGone, or
// that v cannot be encoded.
func (ev *EventWriter) Send(id, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", name, err)
	}
	return ev.Raw(id, name, data)
}

// Raw writes one event; data hold no line break.
func (ev *EventWriter) Raw(id, name string, data []byte) error {
	return ev.Write(AppendEvent(nil, id, name, data))
}

// AppendEvent appends one event to b, as Raw writes it.
func AppendEvent(b []byte, id, name string, data []byte) []byte {
	b = slices.Grow(b, len(data)+len(name)+48)
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	return append(append(append(b, "data: "...), data...), "\n\n"...)
}

// Write writes events that AppendEvent has made. Its error is ErrGone.
func (ev *EventWriter) Write(b []byte) error {
	_ = ev.c.SetWriteDeadline(time.Now().Add(writeWithin))
	if _, err := ev.w.Write(b); err != nil {
		return errors.Join(ErrGone, err)
	}
	if err := ev.c.Flush(); err != nil {
		return errors.Join(ErrGone, err)
	}
	return nil
}

// Wait returns when woken, and keeps the stream alive meanwhile. later, which
// may be nil, wakes too. When ctx ends it returns ErrGone.
func (ev *EventWriter) Wait(ctx context.Context, woken <-chan struct{}, later <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ErrGone
		case <-woken:
			return nil
		case <-later:
			return nil
		case <-ev.alive.C:
			if err := ev.ping(); err != nil {
				return err
			}
		}
	}
}
