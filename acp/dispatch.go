package acp

import (
	"bytes"
	"context"
	"sync/atomic"
)

const (
	methodNew           = "session/new"
	methodUpdate        = "session/update"
	methodPermission    = "session/request_permission"
	methodCancelRequest = "$/cancel_request"
)

// Stats counts what a connection has seen.
type Stats struct {
	// Lines read, blank ones and gaps included.
	Lines int64
	// Noise lines, Gaps for over-long lines, responses Unmatched to any call.
	Noise, Gaps, Unmatched int64
}

type counters struct{ lines, noise, gaps, unmatched atomic.Int64 }

// Stats returns the counts so far.
func (c *Client) Stats() Stats {
	return Stats{
		Lines:     c.stats.lines.Load(),
		Noise:     c.stats.noise.Load(),
		Gaps:      c.stats.gaps.Load(),
		Unmatched: c.stats.unmatched.Load(),
	}
}

// lines handles what the reader gave to its end. It runs on the dispatcher, as
// all in this file.
func (c *Client) lines(ctx context.Context, l lines) {
	if l.handled != nil {
		defer close(l.handled)
	}
	if l.gap != nil {
		c.stats.lines.Add(1)
		c.gap(ctx, *l.gap)
		return
	}
	for rest := l.raw; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		c.line(ctx, trimEOL(rest[:end:end]))
		rest = rest[end:]
	}
}

func (c *Client) line(ctx context.Context, raw []byte) {
	c.stats.lines.Add(1)
	if len(raw) > c.o.MaxLine {
		c.gap(ctx, *newGap(raw, raw, int64(len(raw))))
		return
	}
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, utf8BOM))
	if e, ok := scanEnvelope(raw); ok && e.isFrame() {
		c.frame(ctx, e)
		return
	}
	values, noise := split(raw)
	for _, v := range values {
		if e, ok := scanEnvelope(v); ok && e.isFrame() {
			c.frame(ctx, e)
		} else {
			noise = appendNoise(noise, v)
		}
	}
	if len(noise) > 0 {
		c.noise(noise)
	}
}

func (c *Client) frame(ctx context.Context, e envelope) {
	c.show(In, e.raw)
	if e.method == methodUpdate {
		c.update(e)
		if e.isRequest() {
			c.post(ctx, resultFrame(e.id, nil))
		}
		return
	}
	// The rest is rare and lives long: it must not keep the lines around it.
	e, _ = scanEnvelope(bytes.Clone(e.raw))
	switch {
	case e.method == methodCancelRequest:
		c.withdraw(ctx, field(e.params, "requestId"))
	case e.isRequest():
		c.serve(ctx, e)
	case e.method == "":
		c.response(e)
	}
}

func (c *Client) update(e envelope) {
	u := newUpdate(e, c.speaker)
	c.speaker = u.SessionID
	u.Late = c.touch(u.SessionID)
	defer c.touch(u.SessionID) // handling it took time that was not quiet
	defer c.recovered("update")
	c.h.Update(u)
}

func (c *Client) response(e envelope) {
	k := c.find(e.id, e.fault != nil)
	switch {
	case k == nil:
		n := c.stats.unmatched.Add(1)
		if rare(n) {
			c.o.Log.Warn("answer to no open call", "id", string(e.id), "count", n,
				"error", string(e.fault[:min(len(e.fault), maxNoise)]))
		}
	case e.fault != nil:
		c.complete(k, callEnd{err: decodeError(e.fault)})
	default:
		c.complete(k, callEnd{result: e.result})
	}
}

// gap records a skipped line and does not let anybody wait for it.
func (c *Client) gap(ctx context.Context, g Gap) {
	n := c.stats.gaps.Add(1)
	if rare(n) {
		c.o.Log.Warn("line from agent too long", "size", g.Size, "method", g.Method, "count", n)
	}
	if c.o.Gap != nil {
		func() {
			defer c.recovered("gap")
			c.o.Gap(g)
		}()
	}
	if g.Method != "" {
		if nonNull(g.ID) != nil && g.Method != methodUpdate {
			c.post(ctx, errorFrame(g.ID, &Error{
				Code: CodeInvalidRequest, Message: "request too long",
			}))
		}
		return
	}
	if k := c.find(g.ID, g.answers); k != nil {
		c.complete(k, callEnd{err: &GapError{Method: k.method, Gap: g}})
	}
}

func (c *Client) noise(b []byte) {
	n := c.stats.noise.Add(1)
	if rare(n) {
		c.o.Log.Debug("noise on agent stdout", "text", string(b), "count", n)
	}
	c.mu.Lock()
	c.lastNoise = string(b)
	c.mu.Unlock()
	defer c.recovered("noise")
	c.h.Noise(b)
}

// rare is true ever less often: for 1, 2, 4, 8 ... It limits the log.
func rare(n int64) bool { return n&(n-1) == 0 }

// post queues an answer from the dispatcher. When the outbox is full it waits,
// and says so, because then the agent's silence is not our fault.
func (c *Client) post(ctx context.Context, f *frame) {
	c.held.dispatcher.Store(true)
	defer c.held.dispatcher.Store(false)
	_ = c.box.put(ctx, f) // no error but the end of the connection
}
