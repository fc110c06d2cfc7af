//go:build unix

package shim

import (
	"fmt"
	"os"
	"syscall"
)

// holdFiles gives the stream descriptors of its own of what are files: who
// hands one over closes its own, as for a command that inherits it. They are
// closed when the command has ended and its output is read.
func holdFiles(c *Remote) (held []*os.File, err error) {
	hold := func(f *os.File) *os.File {
		if err != nil {
			return nil
		}
		var mine *os.File
		if mine, err = duplicate(f); err == nil {
			held = append(held, mine)
		}
		return mine
	}
	if f, ok := c.Stdin.(*os.File); ok {
		c.Stdin = hold(f)
	}
	if f, ok := c.Stdout.(*os.File); ok {
		c.Stdout = hold(f)
	}
	if f, ok := c.Stderr.(*os.File); ok {
		c.Stderr = hold(f)
	}
	if err != nil {
		closeFiles(held)
		return nil, fmt.Errorf("take over file: %w", err)
	}
	return held, nil
}

// duplicate leaves the file as it is: Fd would make it block.
func duplicate(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var dupErr error
	err = raw.Control(func(from uintptr) {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if fd, dupErr = syscall.Dup(int(from)); dupErr == nil {
			syscall.CloseOnExec(fd)
		}
	})
	if err == nil {
		err = dupErr
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
