//go:build unix && !linux

package shim

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// There is no subreaper here: what leaves the process group of the command is
// not found again. doctor says so.
func becomeSubreaper() error { return nil }

func keepDescriptors() {}

func replaceFD(from, to int) error { return unix.Dup2(from, to) }

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killTree(pid int, empty <-chan struct{}) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		killGroup(pid)
		select {
		case <-empty:
			return
		case <-time.After(pause):
		}
	}
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func signalTree(pid int, sig syscall.Signal) int {
	_ = syscall.Kill(-pid, sig)
	return 0
}

// StartTime is not known here.
func StartTime(int) uint64 { return 0 }

// Alive reports whether there is a process of that number.
func Alive(pid int, _ uint64) bool { return syscall.Kill(pid, 0) == nil }

// Boottime is the time since boot, sleep included.
func Boottime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
