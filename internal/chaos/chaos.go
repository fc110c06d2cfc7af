package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// chaos is the whole of it: a world, its lives, its faults, and the last look.
func chaos(ctx context.Context, o options) (*figures, error) {
	f := newFigures(o)
	w, err := newWorld(ctx, o, f)
	if err != nil {
		return f, err
	}
	defer w.remove()
	if err := w.start(ctx); err != nil {
		return f, errors.Join(err, w.stop())
	}
	o.out("seed %d, data in %s", o.seed, w.dir)
	storm, calm := context.WithCancel(ctx)
	var storms sync.WaitGroup
	storms.Go(func() { w.storm(storm) })
	w.lives(ctx)
	calm()
	storms.Wait()
	err = w.stop()
	if ctx.Err() == nil { // broken off: what lives had is left
		w.lastLook()
	}
	f.done()
	return f, err
}

// lives begins the sessions, some at a time.
func (w *world) lives(ctx context.Context) {
	began := time.Now()
	next := make(chan int)
	var all sync.WaitGroup
	for range w.o.atOnce {
		all.Go(func() {
			for n := range next {
				w.live(ctx, n)
			}
		})
	}
	for n := w.o.first; n < w.o.first+w.o.lives; n++ {
		if time.Since(began) > w.o.limit || ctx.Err() != nil {
			w.o.out("time is up after %d lives", n-w.o.first)
			break
		}
		next <- n
	}
	close(next)
	all.Wait()
}

// live is one session from its first message to nothing left.
func (w *world) live(ctx context.Context, n int) {
	l := &life{
		w: w, n: n, began: time.Now(), chance: rand.New(rand.NewPCG(w.o.seed, uint64(n))),
	}
	err := l.run(ctx)
	if ctx.Err() != nil {
		return
	}
	l.faults.Wait()
	if err == nil {
		l.check(ctx)
	} else {
		l.violates("life: %v", err)
	}
	if ctx.Err() != nil {
		return // broken off: it says nothing
	}
	w.f.count("lives", 1)
	if len(l.wrong) > 0 {
		w.f.violation(l.wrong...)
		w.o.out("%s", l.account(ctx))
	}
	if done := w.f.get("lives"); done%100 == 0 {
		w.o.out("%d lives, %d violations, %s", done, w.f.violated(), time.Since(w.f.began).Round(time.Second))
	}
}

// build makes the programs, chaos itself too: it stands before the agent.
func build(ctx context.Context, dir string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator),
		"blaise.dev/blaise/cmd/blaise", "blaise.dev/blaise/cmd/runner", "blaise.dev/blaise/internal/chaos")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}
