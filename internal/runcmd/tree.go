package runcmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"blaise.dev/blaise/run"
)

// freeFD is above the descriptors that a child gets by number.
const freeFD = 10

// holdTree takes the lock that all inherit which this process starts, from the
// fork on. Killed before it has written down what it just started, it leaves
// something that nobody knows of but that has the lock.
func holdTree(dir string) error {
	fd, err := syscall.Open(filepath.Join(dir, run.TreeLock), syscall.O_CREAT|syscall.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w", run.TreeLock, err)
	}
	err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD, freeFD) // not closed on exec, and never by us
	}
	if err = errors.Join(err, syscall.Close(fd)); err != nil {
		return fmt.Errorf("take %s: %w", run.TreeLock, err)
	}
	return nil
}
