package acp

import (
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// inboxSize times readBuffer of lines wait at most between reader and
	// dispatcher; a line longer than that is handed over alone.
	inboxSize = 4
	// maxNoise of a noisy line is shown, as is every Gap's head.
	maxNoise = 512
)

// read is the reader: it cuts stdout into lines until the end. The last ones
// carry the error, if the end is not a clean one.
func (c *Client) read(inbox chan<- lines) {
	defer close(inbox)
	r := newLineReader(c.out, c.o.MaxLine)
	for {
		l, err := r.next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			inbox <- lines{err: fmt.Errorf("read from agent: %w", err)}
			return
		}
		if len(l.raw) > readBuffer {
			l.handled = make(chan struct{})
		}
		c.pass(inbox, l)
	}
}

// pass hands l to the dispatcher and notes how long that took, if it did.
func (c *Client) pass(inbox chan<- lines, l lines) {
	select {
	case inbox <- l:
		if l.handled == nil {
			return
		}
		c.held.reader.Store(true)
	default:
		c.held.reader.Store(true)
		inbox <- l
	}
	if l.handled != nil {
		<-l.handled
	}
	c.held.until.Store(time.Now().UnixNano())
	c.held.reader.Store(false)
}

// write is the writer. After its first error nothing is written again: the
// frame may be torn. The frames left fail at once; what was sent before may
// still be answered.
func (c *Client) write() error {
	p := &pipeWriter{w: c.in, timeout: c.o.WriteTimeout}
	p.excused = func() bool { return c.held.byHandler(c.o.WriteTimeout) }
	for f := c.box.take(); f != nil; f = c.box.take() {
		if err := c.writeFrame(p, f); err != nil {
			return err
		}
	}
	if c.box.cause() == nil {
		_ = c.in.Close() // CloseInput: the agent sees the end, or is gone
	}
	return nil
}

func (c *Client) writeFrame(p *pipeWriter, f *frame) error {
	c.show(Out, f.raw[:len(f.raw)-1])
	if f.call != nil {
		f.call.written.Store(int32(Torn))
	}
	n, err := p.write(f.raw)
	switch {
	case f.call == nil:
	case err == nil:
		f.call.written.Store(int32(Sent))
	case n == 0:
		f.call.written.Store(int32(Unsent))
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("write to agent: %w", err)
	lost, first := c.box.breakOff(err)
	if !first {
		return nil // Run has ended the connection, and says why
	}
	for _, f := range append(lost, f) {
		if f.call != nil {
			c.fail(f.call, err)
		}
	}
	return err
}

// show gives a frame to Options.Frames.
func (c *Client) show(dir Direction, raw []byte) {
	if c.o.Frames == nil {
		return
	}
	defer c.recovered("frames")
	c.o.Frames(dir, raw)
}

// recovered keeps a handler's panic from taking the whole program down.
func (c *Client) recovered(where string) {
	if v := recover(); v != nil {
		c.o.Log.Error("handler panicked", "where", where, "panic", v)
	}
}
