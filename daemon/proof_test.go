//go:build linux

package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/run"
)

// X2: what a run had just started, and is on no list yet, is waited for too. It
// has inherited the lock that is taken here out of the hands of the run.
func TestRunKilledBeforeItWroteAllDown(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	h.start(t)
	c.Set(func() { c.Offer = true })
	c.Report(blaise.EventOpened)
	pid := h.runs(t, 1)[0].PID
	inherited := takeFD(t, pid, filepath.Join(h.State, "runs", "stestone.1", run.TreeLock))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-time.After(500 * time.Millisecond) // long enough to say something wrong
	c.Await("silence", func() bool { return len(c.Dead) == 0 })
	if err := syscall.Close(inherited); err != nil {
		t.Fatal(err)
	}
	c.Await("dead", func() bool { return len(c.Dead) == 1 })
	h.settled(t)
}

// takeFD has the same open file as a process has.
func takeFD(t *testing.T, pid int, path string) int {
	t.Helper()
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		if at, _ := os.Readlink(fd); at != path {
			continue
		}
		n, _ := strconv.Atoi(filepath.Base(fd)) // all there are numbers
		p, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Skipf("no pidfd here: %v", err)
		}
		defer syscall.Close(p)
		if n, err = unix.PidfdGetfd(p, n, 0); err != nil {
			t.Skipf("a file of another process cannot be had: %v", err)
		}
		return n
	}
	t.Fatalf("process %d does not have %s", pid, path)
	return -1
}
