//go:build unix

package shim

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// Main runs the shim with the arguments after PROGRAM, with or without the
// leading "shim", and answers the exit code of the program: 0 after the command
// ran, whatever it exited with, 2 for bad usage, 126 or 127 if it did not start.
// The verbs are those of the package comment. A program that starts shims of
// itself calls it before it does anything else.
func Main(args []string) int {
	_ = os.Unsetenv(bornVariable) // only an empty name fails
	if len(args) > 0 && args[0] == "shim" {
		args = args[1:]
	}
	if len(args) == 0 {
		return usage()
	}
	switch verb, rest := args[0], args[1:]; verb {
	case "get", "put", "remove":
		return fileVerb(verb, rest)
	case "resolve":
		return resolveVerb(rest)
	case "stream":
		return streamVerb(rest)
	case "reap":
		return reapVerb(rest)
	case "idle":
		return idleVerb()
	case "sandbox":
		return sandboxVerb(rest)
	case "inside":
		return insideVerb(rest)
	case "probe":
		return probeVerb(rest)
	case "proxy":
		return proxyVerb(rest)
	case "tty":
		return ttyVerb(rest)
	case "run":
		return runVerb(rest)
	}
	return usage()
}

func usage() int {
	fmt.Fprintln(os.Stderr, "usage: shim run|stream|reap|idle|sandbox|probe|proxy|tty|get|put|remove|resolve ...")
	return 2
}

func runVerb(args []string) int {
	flags := flag.NewFlagSet("shim run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	fence := flags.Int64("fence", 0, "")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return usage()
	}
	ctl, err := openControl()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim:", err)
		return 2
	}
	runtime.GOMAXPROCS(1)
	deafen()
	return newKeeper(ctl, time.Duration(*fence)).run(flags.Args())
}

// staySmall keeps the shim at a few megabytes: one runs beside every process. It
// is called when the command runs: to collect garbage before that would keep it
// waiting.
func staySmall() {
	debug.SetGCPercent(20)
	debug.SetMemoryLimit(8 << 20)
}

// deafen drops the signals that are meant for the command: the shim answers to
// its control socket. Ignoring them instead would be inherited by the command.
func deafen() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP,
		syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGTSTP)
}

// openControl takes descriptor 3, if it is a socket: the Go runtime puts its
// own descriptors there when nobody handed one over.
func openControl() (*os.File, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(3, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return nil, fmt.Errorf("no control socket on descriptor 3 (started by hand?)")
	}
	syscall.CloseOnExec(3)
	if err := syscall.SetNonblock(3, true); err != nil {
		return nil, fmt.Errorf("set control socket: %w", err)
	}
	return os.NewFile(3, "control"), nil
}
