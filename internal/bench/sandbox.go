package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise/plug"
)

// sandboxes measures what a sandbox adds to the start and end of a command,
// against the same command in the place around it, in turns.
func sandboxes(ctx context.Context, o options) ([]row, error) {
	var rows []row
	for _, driver := range []string{"bubblewrap", "namespaces", "landlock"} {
		r, err := sandboxStart(ctx, o, driver)
		if err != nil {
			fmt.Fprintf(os.Stderr, "no sandbox by %s: %v\n", driver, err)
			continue
		}
		rows = append(rows, r)
	}
	return rows, nil
}

const sandboxSamples = 60

func sandboxStart(ctx context.Context, o options, driver string) (row, error) {
	dir := filepath.Join(o.tmp, "sandbox-"+driver)
	work, home := filepath.Join(dir, "work"), filepath.Join(dir, "home")
	for _, d := range []string{work, home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return row{}, err
		}
	}
	host := &plug.Local{Dir: work, Home: home, Program: filepath.Join(o.bin, "runner"), Fence: &plug.Fence{}}
	stack, err := plug.NewStack([]plug.Spec{plug.NewSpec("sandbox", "", map[string]any{
		"driver": driver, "network": "none",
	})}, plug.StackOptions{Session: "bench", Host: host, StateDir: filepath.Join(dir, "state"),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return row{}, err
	}
	defer func() { _ = stack.Destroy(context.WithoutCancel(ctx)) }() // what is left is in o.tmp
	if err := stack.Open(ctx); err != nil {
		return row{}, err
	}
	var inside, plain []time.Duration
	for range sandboxSamples {
		for env, took := range map[plug.Env]*[]time.Duration{host: &plain, stack.Env(): &inside} {
			d, err := startOnce(ctx, env)
			if err != nil {
				return row{}, err
			}
			*took = append(*took, d)
		}
	}
	floor := median(plain)
	return row{name: "sandbox by " + driver + ": a command in it, beside the command alone", got: median(inside),
		floor: floor, limit: floor + 10, unit: "ms"}, nil
}

// startOnce measures from nothing to the first word of a command.
func startOnce(ctx context.Context, env plug.Env) (time.Duration, error) {
	began := time.Now()
	var out bytes.Buffer
	p, err := env.Start(ctx, plug.Cmd{Args: []string{"echo", "here"}, Stdout: &out})
	if err != nil {
		return 0, err
	}
	exit, err := p.Wait()
	if err != nil || exit.Code != 0 || out.String() != "here\n" {
		return 0, fmt.Errorf("echo: %+v, %w: %q", exit, err, out.String())
	}
	return time.Since(began), nil
}
