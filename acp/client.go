package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Direction of a frame.
type Direction int

// In comes from the agent, Out goes to it.
const (
	In Direction = iota
	Out
)

// String is "in" or "out".
func (d Direction) String() string { return [...]string{"in", "out"}[d] }

// Options of a Client. The zero value is good.
type Options struct {
	// MaxLine is the longest line accepted from the agent; default 64 MiB.
	MaxLine int
	// WriteTimeout is how long the agent may take no byte; default 30 s. It
	// stands still while the agent's own output waits on the Handler.
	WriteTimeout time.Duration
	// Quiet and QuietLimit govern Settle; default 100 ms and 1 s.
	Quiet, QuietLimit time.Duration
	// Log gets what nobody is told otherwise; nil for nothing.
	Log *slog.Logger
	// Frames sees every raw frame: an inbound one before it is handled, an
	// outbound one before its first byte is written. Calls of one direction
	// come in the order of the wire; the two directions may overlap, but a
	// request is always shown before its answer. May be nil. It must not keep
	// raw of direction Out. Noise and gaps are no frames.
	Frames func(dir Direction, raw []byte)
	// Gap is told of each line that was skipped for its length. May be nil.
	Gap func(Gap)
}

func (o Options) withDefaults() Options {
	if o.MaxLine <= 0 {
		o.MaxLine = 64 << 20
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 30 * time.Second
	}
	if o.Quiet <= 0 {
		o.Quiet = 100 * time.Millisecond
	}
	if o.QuietLimit <= 0 {
		o.QuietLimit = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Handler receives what the agent says. A panic in it is recovered; a request
// is then answered with an internal error.
type Handler interface {
	// Update is called on the dispatcher, in wire order. While it blocks
	// nothing else is read: that is the backpressure. It must not wait for an
	// answer of the agent.
	Update(u Update)
	// Permission runs in a goroutine of its own, begun after all earlier
	// updates were handled. ctx ends when the question has been answered
	// without it (Cancel, $/cancel_request) or the connection is over; what
	// it returns then is ignored.
	Permission(ctx context.Context, r PermissionRequest) PermissionOutcome
	// Request serves every other request, in a goroutine of its own. It
	// returns ErrMethodNotFound for a method it does not know.
	Request(ctx context.Context, method string, params json.RawMessage) (any, error)
	// Noise is a line on stdout that is no frame, at most 512 bytes of it.
	// It is called on the dispatcher.
	Noise(line []byte)
}

// Client is one connection to one agent process. All its methods are safe for
// concurrent use.
type Client struct {
	in  io.WriteCloser
	out io.ReadCloser
	h   Handler
	o   Options
	box *outbox

	done     chan struct{}
	handlers sync.WaitGroup // requests of the agent that are being served
	tear     func()         // closes both pipes, once
	held     held
	stats    counters
	speaker  string // the session of the last update; the dispatcher's

	ids       atomic.Int64
	mu        sync.Mutex // over the fields below
	calls     map[int64]*call
	turns     map[string]*turn
	asks      map[string]*ask
	sessions  map[string]bool // that were begun or taken up
	ended     error           // why no call is possible any more
	lastNoise string
}

// NewClient makes a client that writes to the agent's stdin, in, and reads its
// stdout, out. Ends of an os.Pipe are best: their writes can be given a
// deadline. Nothing happens before Run.
func NewClient(in io.WriteCloser, out io.ReadCloser, h Handler, o Options) *Client {
	c := &Client{
		in: in, out: out, h: h, o: o.withDefaults(), box: newOutbox(),
		done:     make(chan struct{}),
		calls:    map[int64]*call{},
		turns:    map[string]*turn{},
		asks:     map[string]*ask{},
		sessions: map[string]bool{},
	}
	c.tear = sync.OnceFunc(func() {
		_ = c.in.Close() // both are given up; a second close is no news
		_ = c.out.Close()
	})
	return c
}

// Done is closed when Run has handled the last line and ended every call.
func (c *Client) Done() <-chan struct{} { return c.done }

// LastNoise is the last line on stdout that was no frame, as Handler.Noise got
// it. Where an agent does not start it may be the reason.
func (c *Client) LastNoise() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lastNoise
}

// CloseInput closes the agent's stdin once everything queued is written; most
// agents then exit. Later calls fail.
func (c *Client) CloseInput() { c.box.end() }

// Run reads, dispatches and writes until the agent closes its stdout, the
// connection is torn (ErrStalled) or ctx ends; it is called once. It returns
// nil after a clean end, otherwise why, and by then has closed both pipes and
// ended every goroutine, so it waits for handlers: they should obey their ctx.
func (c *Client) Run(ctx context.Context) error {
	conn, end := context.WithCancelCause(ctx)
	defer context.AfterFunc(conn, func() {
		c.box.breakOff(context.Cause(conn)) // before the writer finds its pipe closed
		c.tear()
	})()
	inbox := make(chan lines, inboxSize)
	var reading, writing error
	var wg sync.WaitGroup
	wg.Go(func() { c.read(inbox) })
	wg.Go(func() {
		if writing = c.write(); errors.Is(writing, ErrStalled) {
			end(writing)
		}
	})
	for l := range inbox {
		reading = l.err // of the last one only
		c.lines(conn, l)
	}
	cause := c.why(conn, reading)
	c.box.breakOff(cause)
	c.tear()
	wg.Wait() // an agent may be gone before the writer knows that it took a call
	c.failAll(cause)
	close(c.done)
	end(ErrClosed)
	c.handlers.Wait()
	return verdict(ctx, reading, writing)
}

// why is what the calls still open are told.
func (c *Client) why(conn context.Context, reading error) error {
	if conn.Err() != nil {
		return context.Cause(conn)
	}
	if err := c.box.cause(); err != nil {
		return err
	}
	if reading != nil {
		return reading
	}
	return io.EOF
}

func verdict(ctx context.Context, reading, writing error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if writing != nil {
		return writing
	}
	return reading
}

// held tells the writer whether the agent is kept from writing, and so maybe
// from reading, by us.
type held struct {
	reader     atomic.Bool  // the reader waits for room among the lines
	until      atomic.Int64 // when it last stopped waiting, in Unix nanoseconds
	dispatcher atomic.Bool  // the dispatcher waits for room in the outbox
}

func (h *held) byHandler(within time.Duration) bool {
	if h.dispatcher.Load() {
		return false
	}
	return h.reader.Load() || time.Since(time.Unix(0, h.until.Load())) < within
}
