package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"blaise.dev/blaise/internal/authority"
	"blaise.dev/blaise/internal/demoagent"
	"blaise.dev/blaise/internal/runcmd"
	"blaise.dev/blaise/internal/shim"

	"github.com/spf13/cobra"
)

// version is set by the linker (see the Makefile).
var version = ""

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	switch {
	case len(args) > 0 && args[0] == "shim":
		return shim.Main(args[1:])
	case len(args) > 0 && args[0] == "demo-agent" && !asksHelp(args):
		return demoAgent(args[1:])
	}
	authority.Ensure()
	if len(args) > 1 && args[0] == "runner" && args[1] == "run" {
		return runcmd.Main(args[2:])
	}
	cobra.EnableCommandSorting = false // the help shows first what is used first
	ctx, stop := signals()
	defer stop()
	return command(ctx, args)
}

// signals ends the context at the first INT or TERM. The second one ends the
// process there and then: whoever asks twice means it.
func signals() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan os.Signal, 2)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-got
		cancel()
		<-got
		os.Exit(130)
	}()
	return ctx, cancel
}

// demoAgent answers over stdin and stdout until stdin ends.
func demoAgent(args []string) int {
	o, err := demoOptions(args)
	if err == nil {
		err = demoagent.Run(context.Background(), os.Stdin, os.Stdout, o)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "blaise: demo-agent:", err)
		return exitFailed
	}
	return exitDone
}

func asksHelp(args []string) bool {
	for _, a := range args[1:] {
		if a == "-h" || a == "--help" {
			return true
		}
	}
	return false
}

// programVersion is the linker's, else the module's as `go install` stamps it.
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "dev"
}
