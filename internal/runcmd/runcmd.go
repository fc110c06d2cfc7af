// Package runcmd is the process of one run, as `runner run` and `blaise runner
// run` are: it reads the spec from stdin, turns signals into the causes that
// package run knows, and keeps itself small. The daemon starts it; a person
// never does.
package runcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"blaise.dev/blaise/internal/logs"
	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/internal/trace"
	"blaise.dev/blaise/run"
)

// Main works the run whose spec is on stdin, and returns the exit code: 0 when
// it ended as it was told to, 1 otherwise. A stdin that ends before the spec is
// whole means that the daemon died: nothing was done then.
func Main(args []string) int {
	if len(args) > 0 {
		fmt.Fprintln(os.Stderr, "runner run: takes no arguments; the daemon starts it")
		return 2
	}
	staySmall()
	if err := keepLock(); err != nil {
		fmt.Fprintln(os.Stderr, "runner run:", err)
		return 2
	}
	spec, err := readSpec(os.Stdin)
	if err == nil {
		err = holdTree(spec.Dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "runner run:", err)
		return 2
	}
	for _, name := range []string{"BLAISE_RUNNER_TOKEN", "BLAISE_TOKEN"} {
		_ = os.Unsetenv(name) // only an empty name fails
	}
	log, err := logs.Options{Format: spec.LogFormat, Level: spec.LogLevel}.New(os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "runner run:", err)
		return 2
	}
	ctx, stop := causes(spec.Runner)
	defer stop()
	program, err := os.Executable()
	if err != nil {
		program = spec.Program
	}
	if err := shim.Inherit(); err != nil {
		log.Warn("what a dead shim leaves does not come to this process", "run", spec.Lease.Run, "error", err)
	}
	defer shim.KillChildren(10 * time.Second) // nothing but such is left then
	tracer := trace.FromEnv("blaise-run", spec.Version)
	defer tracer.Start(log.With("run", spec.Lease.Run))()
	if err := run.Do(ctx, spec, run.Deps{Log: log, Tracer: tracer, Demo: []string{program, "demo-agent"}}); err != nil {
		log.Error("run failed", "run", spec.Lease.Run, "error", err)
		return 1
	}
	return 0
}

// staySmall keeps a run under 25 MB: many of them stand beside each other, most
// of the time waiting.
func staySmall() {
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	debug.SetGCPercent(40)
	debug.SetMemoryLimit(20 << 20)
}

// lockFD is where the daemon hands over the lock of the run.
const lockFD = 3

// keepLock takes the inherited lock for this process alone: what it starts must
// not hold it after its death.
func keepLock() error {
	var st syscall.Stat_t
	if err := syscall.Fstat(lockFD, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return errors.New("no lock was handed over: the daemon starts this, nobody else")
	}
	syscall.CloseOnExec(lockFD)
	return nil
}

func readSpec(r io.Reader) (run.Spec, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return run.Spec{}, err
	}
	var s run.Spec
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("the spec on stdin is not whole, nothing is done: %w", err)
	}
	if s.Lease.Run == "" || !filepath.IsAbs(s.Dir) {
		return s, errors.New("the spec on stdin names no run")
	}
	return s, nil
}

// causes gives a context that ends with the first signal: INT and TERM
// interrupt (A20), USR1 is `runner runs stop`. The second TERM or INT has no
// effect: the run is ending, within its limits.
func causes(runner string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := range signals {
			switch s {
			case syscall.SIGUSR1:
				cancel(run.ErrLeft)
			case syscall.SIGINT, syscall.SIGTERM:
				cancel(run.Interrupted{Runner: runner, Signal: s})
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}
