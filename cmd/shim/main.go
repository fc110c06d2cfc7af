// Command shim is the small program under which everything is started inside a
// layer that has no runner in it. See internal/shim.
package main

import (
	"os"

	"blaise.dev/blaise/internal/shim"
)

func main() { os.Exit(shim.Main(os.Args[1:])) }
