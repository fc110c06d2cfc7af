//go:build unix && !linux

package shim

import (
	"syscall"
	"time"
)

// KillMarked finds nothing here: the environment of others is not to be read.
func KillMarked(string, time.Duration) int { return 0 }

// KillTree ends the process and its group.
func KillTree(pid int, _ uint64) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// Wake lets a shim go on that was stopped.
func Wake(pid int, _ uint64) { _ = syscall.Kill(pid, syscall.SIGCONT) }

// Inherit does nothing here: there is no subreaper.
func Inherit() error { return nil }

// KillChildren finds nothing here.
func KillChildren(time.Duration) int { return 0 }

// Marks finds nothing here.
func Marks() map[string][]int { return nil }
