package acp

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// pipeChunk is what a Linux pipe holds. A larger write would have moved some
// bytes before it stalled and so count as progress once more.
const pipeChunk = 64 << 10

// pipeWriter writes whole frames and gives up when none of a chunk's bytes was
// taken for timeout.
type pipeWriter struct {
	w       io.WriteCloser
	timeout time.Duration
	// excused tells that the agent may be unable to read because we do not:
	// its own output waits on our handler.
	excused func() bool
}

type deadliner interface{ SetWriteDeadline(time.Time) error }

// write returns how many bytes of b were taken; ErrStalled when time ran out.
func (p *pipeWriter) write(b []byte) (n int, err error) {
	for n < len(b) {
		k, err := p.once(b[n:min(n+pipeChunk, len(b))])
		n += k
		if err == nil || (errors.Is(err, os.ErrDeadlineExceeded) && (k > 0 || p.excused())) {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = ErrStalled
		}
		return n, err
	}
	return n, nil
}

func (p *pipeWriter) once(b []byte) (int, error) {
	d, ok := p.w.(deadliner)
	if !ok || d.SetWriteDeadline(time.Now().Add(p.timeout)) != nil {
		return p.guarded(b)
	}
	return p.w.Write(b)
}

// guarded writes to what knows no deadline: when time is up the pipe is closed,
// which ends the write.
func (p *pipeWriter) guarded(b []byte) (int, error) {
	var stalled atomic.Bool
	done := make(chan struct{})
	defer close(done)
	var expire func()
	expire = func() {
		select {
		case <-done:
		default:
			if p.excused() {
				time.AfterFunc(p.timeout, expire)
				return
			}
			stalled.Store(true)
			_ = p.w.Close() // ends the write; its error is ErrStalled below
		}
	}
	defer time.AfterFunc(p.timeout, expire).Stop()
	n, err := p.w.Write(b)
	if err != nil && stalled.Load() {
		err = ErrStalled
	}
	return n, err
}
