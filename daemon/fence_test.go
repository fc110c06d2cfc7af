package daemon_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/plug"
)

// detaching makes the agent leave a process in a session of its own, whose pid
// it answers once the run has begun.
func (h helper) detaching(t *testing.T) (pid func() int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	line := fmt.Sprintf("(setsid sleep 1000 & echo $! > %s); exec %s demo-agent", file, self)
	text := fmt.Sprintf("version: 1\nagent: {command: [sh, -c, %q], env: {BLAISE_DEMO_HOME: %q}}\n"+
		"plugs: [{use: local}]\n", line, filepath.Join(t.TempDir(), "talk"))
	if err := os.WriteFile(h.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() int {
		b, _ := os.ReadFile(file)
		n, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil || !lives(n) {
			t.Fatalf("no process was left: %q", b)
		}
		return n
	}
}

// working starts a daemon, and a run that is open; left is what its agent left.
func (h helper) working(t *testing.T, c *apitest.Blaise) (d *process, left, run int) {
	t.Helper()
	pid := h.detaching(t)
	d = h.start(t)
	c.Set(func() { c.Offer = true })
	c.Report(blaise.EventOpened)
	return d, pid(), h.runs(t, 1)[0].PID
}

func lives(pid int) bool {
	start := shim.StartTime(pid)
	return start != 0 && shim.Alive(pid, start)
}

func (h helper) shims(t *testing.T) (live []int) {
	t.Helper()
	f, err := os.Open(filepath.Join(h.State, "runs", "stestone.1", "shims"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s plug.ShimRef
		if json.Unmarshal(lines.Bytes(), &s) == nil && s.Alive() {
			live = append(live, s.PID)
		}
	}
	if len(live) == 0 {
		t.Fatal("no shim lives")
	}
	return live
}

// X2: a run that hangs is killed at its fence, with all that it started; its
// slot is free.
func TestHungRun(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	c.Lease.Beat, c.Lease.Misses = 200*time.Millisecond, 20
	h := newHelper(t, c)
	p, pid, run := h.working(t, c)
	began := time.Now()
	if err := syscall.Kill(run, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.Set(func() { c.Stale = true }) // it was declared lost, too
	h.runs(t, 0)
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("killed after %v, before its fence", took)
	}
	h.settled(t)
	if lives(pid) {
		t.Errorf("pid %d lives", pid)
	}
	if !strings.Contains(p.said(), "hangs past its fence") {
		t.Errorf("the daemon said %s", p.said())
	}
}

// X2: what has left its group, and lost its shim and its run, is found by its
// mark before the run is said to be dead.
func TestDetached(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	_, pid, run := h.working(t, c)
	_ = syscall.Kill(run, syscall.SIGSTOP) // or it would mourn
	for _, s := range h.shims(t) {
		_ = syscall.Kill(s, syscall.SIGKILL)
	}
	_ = syscall.Kill(run, syscall.SIGKILL)
	c.Await("dead", func() bool { return len(c.Dead) == 1 })
	if lives(pid) {
		t.Errorf("pid %d lives, and the run was proved dead", pid)
	}
	h.settled(t)
}

// X2: a run dies whose agent has stopped its shim, which is deaf then.
func TestStoppedShim(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	_, pid, run := h.working(t, c)
	for _, s := range h.shims(t) {
		_ = syscall.Kill(s, syscall.SIGSTOP)
	}
	_ = syscall.Kill(run, syscall.SIGKILL)
	c.Await("dead", func() bool { return len(c.Dead) == 1 })
	if lives(pid) {
		t.Errorf("pid %d lives", pid)
	}
	h.settled(t)
}

// X2: after a gap what the run started stands still until Blaise has said that
// the lease holds; then it goes on. An answer to a beat that was sent before the
// gap says nothing about the time since.
func TestX2_AfterAGapTheTreeStandsStill(t *testing.T) {
	t.Parallel()
	for _, beating := range []bool{false, true} {
		t.Run(fmt.Sprintf("in a beat %v", beating), func(t *testing.T) {
			t.Parallel()
			c := apitest.Start(t)
			h := newHelper(t, c)
			_, pid, run := h.working(t, c)
			stopped := make(chan error, 1)
			stop := func() { stopped <- syscall.Kill(run, syscall.SIGSTOP) }
			if beating {
				c.Set(func() { c.OnBeat = stop })
			} else {
				stop()
			}
			if err := <-stopped; err != nil {
				t.Fatal(err)
			}
			<-time.After(5 * c.Lease.Beat) // this is the gap
			c.Set(func() { c.Down = true })
			if err := syscall.Kill(run, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			state(t, pid, "T")
			c.Set(func() { c.Down = false })
			state(t, pid, "S")
			c.Stop(true)
			c.Report(blaise.EventPauseReported)
			h.settled(t)
		})
	}
}

// state waits until a process is stopped (T), or sleeps (S).
func state(t *testing.T, pid int, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, after, ok := strings.Cut(string(b), ") "); ok {
			if got = after[:1]; got == want {
				return
			}
		}
	}
	t.Fatalf("process %d is %q, want %q", pid, got, want)
}
