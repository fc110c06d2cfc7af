package plug

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"blaise.dev/blaise/internal/shim"
)

// outputLimit is how long Wait reads on after the command ended: something that
// outlives it may hold its output open.
const outputLimit = time.Second

// A localProcess is a command under a shim, with the pipes to and from it.
type localProcess struct {
	proc    *shim.Process
	fence   *Fence
	readers []*os.File     // our ends of output pipes
	output  sync.WaitGroup // the copying from them
	done    chan struct{}  // the command ended and its output is read
}

var _ Process = (*localProcess)(nil)

func (p *localProcess) start(ctx context.Context, c Cmd, sc shim.Command) error {
	var theirs []*os.File
	defer func() { closeAll(theirs) }()
	stdin, feed, err := inputFile(c.Stdin)
	if err != nil {
		return err
	}
	if feed != nil {
		theirs = append(theirs, stdin)
	}
	sc.Stdin = stdin
	pipes, err := p.connect(c, &sc)
	theirs = append(theirs, pipes...)
	if err == nil {
		p.proc, err = shim.Start(ctx, sc)
	}
	if err != nil {
		closeAll(append(p.readers, feed))
		return err
	}
	p.fence.add(p.proc, p.ref())
	p.done = make(chan struct{})
	if feed != nil {
		go func() { // ends when the command does, or the reader
			_, _ = io.Copy(feed, c.Stdin)
			feed.Close()
		}()
	}
	go p.finish(feed)
	return nil
}

// finish follows the process to its end, and is waited for by Wait.
func (p *localProcess) finish(feed *os.File) {
	_, _, _ = p.proc.Wait()
	if feed != nil {
		feed.Close()
	}
	read := make(chan struct{})
	go func() { p.output.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(outputLimit):
		closeAll(p.readers) // ends the copying, unless it is stuck in a writer
		select {
		case <-read:
		case <-time.After(outputLimit):
		}
	}
	close(p.done)
	<-p.proc.Gone()
	p.fence.remove(p.proc)
}

func inputFile(r io.Reader) (stdin, feed *os.File, err error) {
	switch r := r.(type) {
	case nil:
		return nil, nil, nil
	case *os.File:
		return r, nil, nil
	}
	stdin, feed, err = os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make stdin: %w", err)
	}
	return stdin, feed, nil
}

// connect sets where the output goes, and answers our copies of the command's
// ends of pipes. One writer for both gets one pipe, so that it is never called
// from two goroutines.
func (p *localProcess) connect(c Cmd, sc *shim.Command) (pipes []*os.File, err error) {
	var piped bool
	if sc.Stdout, piped, err = p.outputFile(c.Stdout); err != nil {
		return nil, err
	}
	if piped {
		pipes = append(pipes, sc.Stdout)
	}
	if sameWriter(c.Stdout, c.Stderr) {
		sc.Stderr = sc.Stdout
		return pipes, nil
	}
	if sc.Stderr, piped, err = p.outputFile(c.Stderr); piped {
		pipes = append(pipes, sc.Stderr)
	}
	return pipes, err
}

func sameWriter(a, b io.Writer) (same bool) {
	defer func() { _ = recover() }() // of a type that cannot be compared
	return a != nil && a == b
}

// outputFile is what the command writes to. A pipe's other end is copied to w
// from here.
func (p *localProcess) outputFile(w io.Writer) (file *os.File, piped bool, err error) {
	switch w := w.(type) {
	case nil:
		return nil, false, nil
	case *os.File:
		return w, false, nil
	}
	r, file, err := os.Pipe()
	if err != nil {
		return nil, false, fmt.Errorf("make output: %w", err)
	}
	p.readers = append(p.readers, r)
	p.output.Go(func() {
		_, _ = io.Copy(w, r)
		r.Close()
	})
	return file, true, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

func (p *localProcess) ref() ShimRef {
	pid, start := p.proc.Shim()
	return ShimRef{PID: pid, Start: start}
}

func (p *localProcess) PID() int                   { return p.proc.PID() }
func (p *localProcess) Signal(sig os.Signal) error { return p.proc.Signal(sig) }
func (p *localProcess) Kill() error                { return p.proc.Kill() }

func (p *localProcess) Wait() (Exit, error) {
	<-p.done
	code, signal, err := p.proc.Wait()
	return Exit{Code: code, Signal: signal}, err
}
