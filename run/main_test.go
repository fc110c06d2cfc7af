package run_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"blaise.dev/blaise/acp/acptest"
	"blaise.dev/blaise/internal/demoagent"
	"blaise.dev/blaise/internal/shim"
)

// TestMain makes the test binary what a runner is: it holds the shim, the demo
// agent and the scripted one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "shim":
			os.Exit(shim.Main(os.Args[2:]))
		case "acptest":
			var s acptest.Script
			if json.Unmarshal([]byte(os.Args[2]), &s) != nil {
				os.Exit(1)
			}
			os.Exit(acptest.Process(s))
		case "demo-agent":
			if demoagent.Run(context.Background(), os.Stdin, os.Stdout, demoagent.Options{}) != nil {
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	// A program built with -race sleeps a second when it exits; ours stop many.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
