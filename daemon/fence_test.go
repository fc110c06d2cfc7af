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
	c := newControl(t)
	c.lease.Beat, c.lease.Misses = 200*time.Millisecond, 20
	h := newHelper(t, c)
	left := h.detaching(t)
	p := h.start(t)
	c.set(func() { c.offer = true })
	c.reported(blaise.EventOpened)
	pid, began := left(), time.Now()
	if err := syscall.Kill(h.runs(t, 1)[0].PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.set(func() { c.stale = true }) // it was declared lost, too
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
	c := newControl(t)
	h := newHelper(t, c)
	left := h.detaching(t)
	h.start(t)
	c.set(func() { c.offer = true })
	c.reported(blaise.EventOpened)
	pid, run := left(), h.runs(t, 1)[0].PID
	_ = syscall.Kill(run, syscall.SIGSTOP) // or it would mourn
	for _, s := range h.shims(t) {
		_ = syscall.Kill(s, syscall.SIGKILL)
	}
	_ = syscall.Kill(run, syscall.SIGKILL)
	c.await("dead", func() bool { return len(c.dead) == 1 })
	if lives(pid) {
		t.Errorf("pid %d lives, and the run was proved dead", pid)
	}
	h.settled(t)
}

// X2: a run dies whose agent has stopped its shim, which is deaf then.
func TestStoppedShim(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	h := newHelper(t, c)
	left := h.detaching(t)
	h.start(t)
	c.set(func() { c.offer = true })
	c.reported(blaise.EventOpened)
	pid := left()
	for _, s := range h.shims(t) {
		_ = syscall.Kill(s, syscall.SIGSTOP)
	}
	_ = syscall.Kill(h.runs(t, 1)[0].PID, syscall.SIGKILL)
	c.await("dead", func() bool { return len(c.dead) == 1 })
	if lives(pid) {
		t.Errorf("pid %d lives", pid)
	}
	h.settled(t)
}

// X2: after a gap what the run started stands still until Blaise has said that
// the lease holds; then it goes on.
func TestX2_AfterAGapTheTreeStandsStill(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	h := newHelper(t, c)
	left := h.detaching(t)
	h.start(t)
	c.set(func() { c.offer = true })
	c.reported(blaise.EventOpened)
	pid, run := left(), h.runs(t, 1)[0].PID
	// A beat that was answered just before the gap makes it none: then once more.
	for n := 0; n < 5 && !becomes(pid, "T", 2*time.Second); n++ {
		c.set(func() { c.down = false })
		if err := syscall.Kill(run, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		<-time.After(5 * c.lease.Beat) // this is the gap
		c.set(func() { c.down = true })
		if err := syscall.Kill(run, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	state(t, pid, "T")
	c.set(func() { c.down = false })
	state(t, pid, "S")
	c.set(func() { c.stop = true })
	c.reported(blaise.EventPauseReported)
	h.settled(t)
}

// state waits until a process is stopped (T), or sleeps (S).
func state(t *testing.T, pid int, want string) {
	t.Helper()
	if !becomes(pid, want, 20*time.Second) {
		t.Fatalf("process %d never is %q", pid, want)
	}
}

func becomes(pid int, want string, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, after, ok := strings.Cut(string(b), ") "); ok && after[:1] == want {
			return true
		}
	}
	return false
}
