//go:build unix

package shim

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// streamFiles are the pipes of a command to and from its stream, by lane. Nil
// ones are not there.
type streamFiles struct {
	ours, theirs [3]*os.File
	merged       bool
	copying      sync.WaitGroup // of output
}

func openStreamFiles(order streamStart) (*streamFiles, error) {
	f := &streamFiles{merged: order.Merged}
	for lane := range f.ours {
		if lane == laneIn && !order.Stdin || lane == laneErr && order.Merged {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("make pipe: %w", err)
		}
		f.ours[lane], f.theirs[lane] = r, w
		if lane == laneIn {
			f.ours[lane], f.theirs[lane] = w, r
		}
	}
	if f.merged {
		f.theirs[laneErr] = f.theirs[laneOut]
	}
	return f, nil
}

func (f *streamFiles) closeTheirs() {
	for lane, file := range f.theirs {
		if file != nil && !(lane == laneErr && f.merged) {
			file.Close()
		}
	}
}

// pump copies until the files end; input ends with the process.
func (f *streamFiles) pump(p *pump) {
	if w := f.ours[laneIn]; w != nil {
		go func() {
			p.in.copyTo(w)
			w.Close()
		}()
	}
	for lane, to := range map[int]*sender{laneOut: p.out, laneErr: p.err} {
		f.copying.Go(func() {
			if r := f.ours[lane]; r != nil {
				_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{r}, make([]byte, laneChunk))
				r.Close()
			}
			to.Close()
		})
	}
}

// wait returns when all output has left, or after limit: who should take it
// may have stopped doing so.
func (f *streamFiles) wait(limit time.Duration) {
	left := make(chan struct{})
	go func() { f.copying.Wait(); close(left) }()
	select {
	case <-left:
	case <-time.After(limit):
	}
}
