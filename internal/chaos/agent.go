package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// overlaps is the file with a line for every agent that met another one.
const overlaps = "overlaps"

// becomeAgent takes the lock of the environment that it is started in and
// becomes the demo agent. The lock is inherited by all that the agent starts
// and is free when the last of them is gone: the kernel is the witness of two
// agents in one environment. args: the directory of the locks, the program.
func becomeAgent(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: chaos agent LOCKS BLAISE")
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	name := filepath.Base(cwd)
	fd, err := syscall.Open(filepath.Join(args[0], name), syscall.O_CREAT|syscall.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the lock of %s: %w", name, err)
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		line := fmt.Sprintf("%s %s: agent %d met another\n", time.Now().Format(clockFormat), name, os.Getpid())
		if err := appendLine(filepath.Join(args[0], overlaps), line); err != nil {
			return err
		}
	}
	return syscall.Exec(args[1], []string{args[1], "demo-agent"}, os.Environ())
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
