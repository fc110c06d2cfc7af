//go:build unix

package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Dial runs the program that holds the shim somewhere else, as "PROGRAM
// ARGS...", and answers its stdin and stdout. Closing the stream ends its stdin
// at least. The end of ctx ends the dialling, not the stream.
type Dial func(ctx context.Context, args ...string) (io.ReadWriteCloser, error)

// A Remote says what to start over a stream. Nil files are /dev/null.
type Remote struct {
	Args   []string
	Dir    string
	Env    []string // KEY=VALUE, added to what the shim has there
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Merged bool          // Stderr is the writer of Stdout
	Fence  time.Duration // on the clock of Boottime here; 0: none
	Mark   string        // of all that one run starts; may be ""
}

// ErrLost says that the stream ended before the tree of the command had: what
// lives on there dies at its fence at the latest.
var ErrLost = errors.New("the stream to the process was lost")

// A Streamed is a command under a shim at the other end of a stream. What of it
// outlives a lost stream is ended through a new one, by Kill. Its methods are
// safe for concurrent use.
type Streamed struct {
	name  string
	mark  string // of this process alone
	dial  Dial
	held  []*os.File // closed with ended
	mux   *mux
	begun chan error    // the shim's first word
	ended chan struct{} // the command ended and its output is read; code, signal and err are set
	gone  chan struct{} // the tree is empty, or the stream ended; whole is set
	over  chan struct{} // the stream ended
	pid   int
	ahead time.Duration // the clock there minus the clock here, never too much
	code  int
	sig   string
	err   error
	whole bool // the tree is empty

	exitOnce, goneOnce sync.Once
	exited             chan struct{}

	reaping sync.Mutex // held while what is left is ended
	reaped  bool       // guarded by reaping
}

// Over starts c through dial and returns when it runs, with ErrNotFound or
// ErrNotRunnable if it does not. The end of ctx ends the wait, not a command
// that runs.
func Over(ctx context.Context, dial Dial, c Remote) (*Streamed, error) {
	fence := c.Fence
	if fence != 0 {
		if fence -= Boottime(); fence <= 0 {
			return nil, fmt.Errorf("start %q: the fence has passed", c.Args[0])
		}
	}
	mark := newMark(c.Mark)
	order, err := json.Marshal(streamStart{
		Args: c.Args, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin != nil, Merged: c.Merged,
		Fence: fence, Mark: mark,
	})
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", c.Args[0], err)
	}
	held, err := holdFiles(&c)
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", c.Args[0], err)
	}
	rw, err := dial(ctx, "shim", "stream", mark)
	if err != nil {
		closeFiles(held)
		return nil, fmt.Errorf("start %q: %w", c.Args[0], err)
	}
	p := &Streamed{
		held: held,
		name: c.Args[0], mark: mark, dial: dial, mux: newMux(rw),
		begun: make(chan error, 1), exited: make(chan struct{}), ended: make(chan struct{}),
		gone: make(chan struct{}), over: make(chan struct{}),
	}
	p.mux.send(frameStart, order)
	p.connect(c)
	go p.follow(p.mux.receivers[laneOut], p.mux.receivers[laneErr])
	if err := p.begin(ctx); err != nil {
		return nil, fmt.Errorf("start %q: %w", p.name, err)
	}
	_ = p.Fence(c.Fence) // on its clock now: a delay of the order does not count
	return p, nil
}

// connect starts the copying of the command's files. All of it ends with the
// stream, but for a Stdin that is read until it says something.
func (p *Streamed) connect(c Remote) {
	in := p.mux.sends(laneIn)
	if c.Stdin != nil {
		go func() {
			_, _ = io.CopyBuffer(struct{ io.Writer }{in}, struct{ io.Reader }{c.Stdin}, make([]byte, laneChunk))
			in.Close()
		}()
	}
	for lane, w := range map[byte]io.Writer{laneOut: c.Stdout, laneErr: c.Stderr} {
		if w == nil {
			w = io.Discard
		}
		r := p.mux.receives(lane)
		go r.copyTo(w)
	}
}

func (p *Streamed) begin(ctx context.Context) error {
	select {
	case err := <-p.begun:
		if err == nil {
			return nil
		}
		return errors.Join(err, p.drop())
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), p.drop())
	}
}

// drop ends the stream, and what may live on without it.
func (p *Streamed) drop() error {
	p.mux.close()
	<-p.over
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	return p.reap(ctx)
}

// outputLimit is how long what the command wrote is waited for when no more
// of it comes.
const outputLimit = time.Second

// follow reads what the shim says to the end of the stream.
func (p *Streamed) follow(outputs ...*receiver) {
	go func() {
		<-p.exited
		for _, r := range outputs {
			r.drained(outputLimit)
		}
		closeFiles(p.held)
		close(p.ended)
	}()
	err := p.mux.serve(p.hear)
	select {
	case p.begun <- fmt.Errorf("%w before it said a word (%v)", ErrLost, err):
	default: // it had begun
	}
	p.exit(0, "", fmt.Errorf("%w (%v)", ErrLost, err))
	p.end(false)
	close(p.over)
}

func (p *Streamed) end(whole bool) {
	p.goneOnce.Do(func() {
		p.whole = whole
		close(p.gone)
	})
}

func (p *Streamed) hear(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "clock":
		there, _ := strconv.ParseInt(rest, 10, 64)
		p.ahead = time.Duration(there) - Boottime() // it was read a moment ago: never too late a fence
	case "started":
		_, _ = fmt.Sscan(rest, &p.pid)
		p.begun <- nil
	case "error":
		p.end(true)
		p.begun <- startError(rest)
	case "exit":
		var code int
		var sig string
		_, _ = fmt.Sscan(rest, &code, &sig)
		p.exit(code, strings.TrimPrefix(sig, "-"), nil)
	case "lost":
		p.exit(0, "", errors.New(rest))
	case "gone":
		p.end(true)
	case "end":
		p.mux.close() // the shim waits for it
	}
}

func (p *Streamed) exit(code int, sig string, err error) {
	p.exitOnce.Do(func() {
		p.code, p.sig, p.err = code, sig, err
		close(p.exited)
	})
}

// PID is the pid of the command where it runs.
func (p *Streamed) PID() int { return p.pid }

// Gone is closed when the whole tree is empty, or the stream was lost, and Kill
// has something to do yet.
func (p *Streamed) Gone() <-chan struct{} { return p.gone }

// Lost reports, after Gone, whether the stream was lost.
func (p *Streamed) Lost() bool { return !p.whole }

// Wait returns when the command has ended and its output is read, with ErrLost
// if that cannot be known.
func (p *Streamed) Wait() (code int, signal string, err error) {
	<-p.ended
	return p.code, p.sig, p.err
}

// Signal sends sig to the process group of the command. After its end it
// answers os.ErrProcessDone.
func (p *Streamed) Signal(sig os.Signal) error {
	n, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signal %q: no number for %v", p.name, sig)
	}
	return p.tell("signal " + strconv.Itoa(int(n)))
}

// Fence moves the deadline, on the clock of Boottime here.
func (p *Streamed) Fence(at time.Duration) error {
	if at != 0 {
		at += p.ahead
	}
	return p.tell("fence " + strconv.FormatInt(int64(at), 10))
}

// Freeze stops the whole tree, Thaw lets it go on.
func (p *Streamed) Freeze() error { return p.tell("freeze") }

// Thaw lets a frozen tree go on.
func (p *Streamed) Thaw() error { return p.tell("thaw") }

func (p *Streamed) tell(order string) error {
	select {
	case <-p.exited:
		return os.ErrProcessDone
	default:
		p.mux.line(order)
		return nil
	}
}

// Kill ends the whole tree and returns when it is empty. Where the stream does
// not say so in time, or was lost, that is done through another one.
func (p *Streamed) Kill() error {
	p.mux.line("kill")
	late := time.NewTimer(hardAfter)
	defer late.Stop()
	select {
	case <-p.gone:
		if p.whole {
			return nil
		}
	case <-late.C:
	}
	return p.drop()
}

// reap ends what a lost stream left. It does so once, unless that fails.
func (p *Streamed) reap(ctx context.Context) error {
	if p.whole {
		return nil
	}
	p.reaping.Lock()
	defer p.reaping.Unlock()
	if p.reaped {
		return nil
	}
	err := Reap(ctx, p.dial, p.mark)
	p.reaped = err == nil
	return err
}
