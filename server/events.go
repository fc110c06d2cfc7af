package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// writeWithin is how long a follower may take to take an event. A slower one
// is cut off: it comes back and reads on.
const writeWithin = 30 * time.Second

// events writes server-sent events. It is one goroutine's.
type events struct {
	w     http.ResponseWriter
	c     *http.ResponseController
	alive *time.Ticker
}

// serve begins a stream, with an event at once, and runs do until it ends.
func (s *Server) serve(hc huma.Context, do func(*events) error) {
	r, w := humago.Unwrap(hc)
	ev := &events{w: w, c: http.NewResponseController(w), alive: time.NewTicker(s.o.KeepAlive)}
	defer ev.alive.Stop()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx
	w.WriteHeader(http.StatusOK)
	err := ev.ping()
	if err == nil {
		err = do(ev)
	}
	if err != nil && r.Context().Err() == nil && !errors.Is(err, errGone) {
		// The status is sent: what went wrong is an event, and the client's to read.
		_ = ev.send("", "problem", problemOf(r.Context(), s.log, err).Problem)
	}
	_ = ev.c.SetWriteDeadline(time.Time{})
}

// errGone says that nobody reads any more.
var errGone = errors.New("the follower is gone")

// ping is a sign of life, and says that the stream has begun.
func (ev *events) ping() error { return ev.write([]byte("event: ping\ndata: {}\n\n")) }

// send writes one event whose data are v as JSON.
func (ev *events) send(id, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", name, err)
	}
	return ev.raw(id, name, data)
}

// raw writes one event; data hold no line break.
func (ev *events) raw(id, name string, data []byte) error {
	b := make([]byte, 0, len(data)+len(name)+48)
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	b = append(append(append(b, "data: "...), data...), "\n\n"...)
	return ev.write(b)
}

func (ev *events) write(b []byte) error {
	_ = ev.c.SetWriteDeadline(time.Now().Add(writeWithin))
	if _, err := ev.w.Write(b); err != nil {
		return errors.Join(errGone, err)
	}
	if err := ev.c.Flush(); err != nil {
		return errors.Join(errGone, err)
	}
	return nil
}

// wait returns when woken, and keeps the stream alive meanwhile. later, which
// may be nil, wakes too.
func (ev *events) wait(ctx context.Context, woken <-chan struct{}, later <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return errGone
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

// after is where a follower goes on: what it was sent last outranks what it
// asked for when it began.
func after(query int64, lastEventID string) int64 {
	if n, err := strconv.ParseInt(lastEventID, 10, 64); err == nil {
		return n
	}
	return query
}
