//go:build unix

package shim

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// idleVerb serves "idle": the first process of a container that needs none. It
// reaps what comes to it, and ends when it is told to stop.
func idleVerb() int {
	staySmall()
	told, child := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	signal.Notify(child, syscall.SIGCHLD)
	for {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		select {
		case <-told:
			return 0
		case <-child:
		}
	}
}
