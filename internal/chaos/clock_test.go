package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain is a program too that is asked what time it is.
func TestMain(m *testing.M) {
	if os.Getenv("CHAOS_TELLS_THE_TIME") == "" {
		os.Exit(m.Run())
	}
	began := time.Now()
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		now := time.Now()
		fmt.Println(now.Unix(), int64(now.Sub(began)/time.Second))
	}
}

// The wall clock of a process goes wrong and right again, the monotonic one
// does not.
func TestClock(t *testing.T) {
	t.Parallel()
	c, err := newClock()
	if err != nil {
		t.Skip("clocks cannot be set wrong here: ", err)
	}
	pid, tell := teller(t)
	for _, wrong := range []time.Duration{0, 2 * time.Hour, -2 * time.Hour, 0} {
		if err := c.set(pid, wrong); err != nil {
			t.Fatal(err)
		}
		wall, since := tell()
		if off := wall - time.Now().Add(wrong).Unix(); off < -60 || off > 1 {
			t.Errorf("set by %s: it is wrong by %d s more", wrong, off)
		}
		if since < 0 || since > 60 {
			t.Errorf("set by %s: %d s are said to have passed", wrong, since)
		}
	}
}

// teller starts a program that tells the time and how long it has been running,
// in seconds.
func teller(t *testing.T) (pid int, tell func() (wall, since int64)) {
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "CHAOS_TELLS_THE_TIME=1")
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err1 != nil || err2 != nil || c.Start() != nil {
		t.Fatal("the program does not start: ", err1, err2)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Wait() // it was killed: the test is over
	})
	lines := bufio.NewReader(out)
	return c.Process.Pid, func() (wall, since int64) {
		_, err := io.WriteString(in, "\n")
		line, readErr := lines.ReadString('\n')
		first, second, _ := strings.Cut(strings.TrimSpace(line), " ")
		wall, wallErr := strconv.ParseInt(first, 10, 64)
		since, sinceErr := strconv.ParseInt(second, 10, 64)
		for _, err := range []error{err, readErr, wallErr, sinceErr} {
			if err != nil {
				t.Fatalf("it says %q: %v", line, err)
			}
		}
		return wall, since
	}
}
