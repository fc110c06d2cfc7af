//go:build unix && !linux

package shim

import (
	"fmt"
	"os"
	"runtime"

	"blaise.dev/blaise/internal/shim/jail"
)

// There are no sandboxes here: nothing that this system has is known to us.
func unsupported() int {
	fmt.Fprintf(os.Stderr, "shim: there is no sandbox on %s\n", runtime.GOOS)
	return 126
}

func sandboxVerb([]string) int { return unsupported() }
func insideVerb([]string) int  { return unsupported() }
func probeVerb([]string) int   { return unsupported() }

func startGuard(jail.Spec, []string, *os.File) (int, error) {
	return 0, fmt.Errorf("there is no sandbox on %s", runtime.GOOS)
}
