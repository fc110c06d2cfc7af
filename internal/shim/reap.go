//go:build unix

package shim

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// reapLimit is how long the reap verb tries.
const reapLimit = 5 * time.Second

// reapVerb serves "reap MARK": it ends all that carries the mark where it runs,
// and writes how many live on.
func reapVerb(args []string) int {
	if len(args) != 1 || args[0] == "" {
		fmt.Fprintln(os.Stderr, "usage: shim reap MARK")
		return 2
	}
	left := KillMarked(args[0], reapLimit)
	fmt.Printf("left %d\n", left)
	if left > 0 {
		return 1
	}
	return 0
}

// Reap ends all that carries the mark at the other end of dial.
func Reap(ctx context.Context, dial Dial, mark string) error {
	rw, err := dial(ctx, "shim", "reap", mark)
	if err != nil {
		return fmt.Errorf("end what is left of a process: %w", err)
	}
	defer context.AfterFunc(ctx, func() { rw.Close() })()
	said, err := io.ReadAll(io.LimitReader(rw, 4<<10))
	rw.Close()
	var left int
	if n, _ := fmt.Sscanf(string(said), "left %d", &left); n != 1 {
		return fmt.Errorf("end what is left of a process: no answer but %q (%v)", said, err)
	}
	if left > 0 {
		return fmt.Errorf("end what is left of a process: %d cannot be killed", left)
	}
	return nil
}
