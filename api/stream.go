package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"blaise.dev/blaise"
)

const (
	// maxLine bounds one line of a stream: an event of the transcript is at
	// most 1 MiB, a session a few.
	maxLine = 32 << 20
	// maxJitter spreads reconnects, so that a restart of Blaise is not followed
	// by everybody at once.
	maxJitter = 5 * time.Second
	// pollSpell is how long polling goes on before a stream is tried again.
	pollSpell = 5 * time.Minute
)

// errBlocked says that a stream gave no event in time: something between holds
// it back.
var errBlocked = errors.New("the stream is held back")

// errSilent says that a stream is alive no more.
var errSilent = errors.New("the stream is silent")

// A message is one event of a stream, as it came.
type message struct {
	id    string
	event string
	data  []byte
}

// A follower keeps one subscription: by a stream where that works, else by
// polling the same rows.
type follower struct {
	c      *Client
	path   string                                      // of the stream
	after  int64                                       // the last number taken
	take   func(message) (int64, error)                // one event: the number to go on after
	poll   func(context.Context, int64) (int64, error) // one poll
	failed error                                       // of take: it ends the following
}

// run returns when ctx ends, take fails, or Blaise refuses.
func (f *follower) run(ctx context.Context) error {
	for fails := 0; ; fails++ {
		before := f.after
		err := f.stream(ctx)
		if errors.Is(err, errBlocked) {
			err = f.pollFor(ctx, pollSpell)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case f.failed != nil:
			return f.failed
		case err != nil && refused(err):
			return err
		}
		if f.after != before {
			fails = 0
		}
		if err := pause(ctx, fails); err != nil {
			return err
		}
	}
}

// refused says that trying again would change nothing.
func refused(err error) bool {
	switch blaise.CodeOf(err) {
	case blaise.CodeStale, blaise.CodeDenied, blaise.CodeNotFound, blaise.CodeInvalid, blaise.CodeRefused:
		return true
	}
	return false
}

// pause waits before another try: the first comes fast.
func pause(ctx context.Context, fails int) error {
	most := maxJitter
	if fails == 0 {
		most = 200 * time.Millisecond
	}
	t := time.NewTimer(rand.N(most))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *follower) pollFor(ctx context.Context, spell time.Duration) error {
	for end := time.Now().Add(spell); time.Now().Before(end); {
		began := time.Now()
		after, err := f.poll(ctx, f.after)
		if err != nil {
			return err
		}
		idle := after == f.after && time.Since(began) < time.Second
		f.after = after
		if !idle {
			continue
		}
		if err := pause(ctx, 1); err != nil { // nothing new at once: no wait was granted
			return err
		}
	}
	return nil
}

// stream reads one connection until it breaks.
func (f *follower) stream(ctx context.Context) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var begun atomic.Bool
	watch := time.AfterFunc(f.c.o.FirstEvent, func() {
		if begun.Load() {
			cancel(errSilent)
			return
		}
		cancel(errBlocked)
	})
	defer watch.Stop()
	body, err := f.open(inner)
	if err != nil {
		return causeOr(inner, err)
	}
	defer body.Close()
	r := bufio.NewReaderSize(body, 32<<10)
	for {
		m, err := readMessage(r)
		if err != nil {
			return causeOr(inner, err)
		}
		begun.Store(true)
		watch.Reset(f.c.o.Silence)
		if m.event == "problem" {
			return problemIn(m.data)
		}
		after, err := f.take(m)
		if err != nil {
			f.failed = err
			return err
		}
		f.after = max(f.after, after)
		watch.Reset(f.c.o.Silence)
	}
}

// problemIn is an error that came after the stream had begun.
func problemIn(data []byte) error {
	var p Problem
	if err := json.Unmarshal(data, &p); err != nil || p.Code == "" {
		return blaise.Errorf(blaise.CodeInternal, "the stream ended with an error that is not understood")
	}
	return &blaise.Error{Code: p.Code, Message: p.Detail, Hint: p.Hint}
}

func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errBlocked) || errors.Is(cause, errSilent) {
		return cause
	}
	return err
}

func (f *follower) open(ctx context.Context) (io.ReadCloser, error) {
	after := strconv.FormatInt(f.after, 10)
	k := call{method: http.MethodGet, path: f.path + "?after=" + after}
	req, err := f.c.request(ctx, k)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", after)
	resp, err := f.c.http.Do(req)
	if err != nil {
		return nil, f.c.unreachable(ctx, k, err)
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, f.c.problem(resp)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		resp.Body.Close()
		return nil, errBlocked
	}
	return resp.Body, nil
}

// readMessage reads up to the next empty line. A comment is a message without
// an event.
func readMessage(r *bufio.Reader) (message, error) {
	var m message
	var data [][]byte
	for {
		line, err := readLine(r)
		if err != nil {
			return m, err
		}
		if len(line) == 0 {
			m.data = bytes.Join(data, []byte("\n"))
			return m, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			m.id = string(value)
		case "event":
			m.event = string(value)
		case "data":
			data = append(data, value)
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxLine:
			return nil, errors.New("a line of the stream is too long")
		}
	}
}
