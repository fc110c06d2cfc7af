package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/demoagent"
	"blaise.dev/blaise/internal/runcmd"
	"blaise.dev/blaise/internal/shim"
)

// A helper is a daemon in a process of its own, which a test may kill.
type helper struct {
	URL, State, Config string
	Token              string
	Command            []string // of a child; PROGRAM stands for the copied program
	DieBeforeSpawn     bool     // kill -9 when the row with the lease is on disk
	Once               bool
}

// TestMain makes the test binary what a runner is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "shim":
			os.Exit(shim.Main(os.Args[2:]))
		case "run":
			os.Exit(runcmd.Main(nil))
		case "demo-agent":
			_ = demoagent.Run(context.Background(), os.Stdin, os.Stdout, demoagent.Options{})
			os.Exit(0)
		case "daemon":
			os.Exit(helperMain(os.Args[2]))
		}
	}
	// A program built with -race sleeps a second when it exits; ours stop many.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func helperMain(arg string) int {
	var h helper
	if err := json.Unmarshal([]byte(arg), &h); err != nil {
		panic(err)
	}
	d := daemon.New(h.daemon())
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			switch s {
			case syscall.SIGTERM:
				d.Interrupt()
			case syscall.SIGUSR1:
				d.Drain(daemon.DrainTimeout)
			case syscall.SIGUSR2:
				leave()
			}
		}
	}()
	if err := d.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "ended:", blaise.CodeOf(err), err)
		return 1
	}
	return 0
}

func (h helper) daemon() daemon.Config {
	return daemon.Config{
		URL: h.URL, StateDir: h.State, Version: "test", Wait: 200 * time.Millisecond, Once: h.Once,
		Token:     func() (string, error) { return h.Token, nil },
		ConfigFor: func(blaise.AgentName) string { return h.Config },
		Describe:  func() (daemon.Description, error) { return daemon.Description{Slots: 2}, nil },
		Log:       slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Command: func(program string) []string {
			if h.DieBeforeSpawn {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			if h.Command == nil {
				return []string{program, "run"}
			}
			var argv []string
			for _, a := range h.Command {
				argv = append(argv, strings.ReplaceAll(a, "PROGRAM", program))
			}
			return argv
		},
	}
}
