// Command runner takes runs from Blaise and works them on this machine.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"blaise.dev/blaise/internal/authority"
	"blaise.dev/blaise/internal/demoagent"
	"blaise.dev/blaise/internal/runcmd"
	"blaise.dev/blaise/internal/shim"
)

// version is set by the linker (see the Makefile).
var version = ""

func main() { os.Exit(dispatch(os.Args[1:])) }

// dispatch goes before cobra with what the program runs as beside itself, many
// times: it should start at once and stay small.
func dispatch(args []string) int {
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch verb {
	case "shim":
		return shim.Main(args[1:])
	case "demo-agent":
		return demo()
	}
	authority.Ensure()
	if verb == "run" && len(args) == 1 {
		return runcmd.Main(nil)
	}
	return execute(args)
}

// demo is the agent of `use: demo`.
func demo() int {
	err := demoagent.Run(context.Background(), os.Stdin, os.Stdout, demoagent.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo-agent:", err)
		return exitFailed
	}
	return exitDone
}

// programVersion is the linker's, else the module's as `go install` stamps it.
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "dev"
}
