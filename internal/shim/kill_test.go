//go:build linux

package shim_test

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise/internal/shim"
)

// A command that stops its own shim does not outlive a Kill.
func TestShimStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stop string
		most time.Duration
	}{
		"once":      {`kill -STOP $PPID`, 4 * time.Second},
		"for ever":  {`(while :; do kill -STOP $PPID; done) &`, 12 * time.Second},
		"by a twin": {`P=$PPID; setsid sh -c "while :; do kill -STOP $P; done" &`, 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, lines := start(t, shim.Command{Args: []string{"sh", "-c", c.stop + "\n" + tree}})
			all := pids(t, lines, 4)
			began := time.Now()
			if err := p.Kill(); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > c.most {
				t.Errorf("killed after %v", took)
			}
			_, _, _ = p.Wait() // it ends
			wantDead(t, all, 0)
		})
	}
}

// A stopped shim reads no order: what tells it one is not held up for ever.
func TestShimStoppedIsTold(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", "echo ok; exec sleep 300"}})
	lines.Scan()
	pid, _ := p.Shim()
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	full := false
	for range 5000 {
		if full = p.Fence(shim.Boottime()+time.Hour) != nil; full {
			break
		}
	}
	if !full {
		t.Error("every order is taken")
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

// What a killed shim leaves is found by its mark, in whatever session it is;
// what belongs to another shim of the same run is left alone.
func TestShimKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	mark := "a-run." + strconv.Itoa(syscall.Getpid())
	other, _ := start(t, shim.Command{Mark: mark, Args: []string{"sleep", "300"}})
	p, lines := start(t, shim.Command{Mark: mark, Args: []string{"sh", "-c", tree}})
	all := pids(t, lines, 4)
	pid, _ := p.Shim()
	_ = syscall.Kill(pid, syscall.SIGKILL)
	<-p.Gone()
	wantDead(t, all, 0)
	if !running(other.PID()) {
		t.Error("another command of the run is dead, too")
	}
	if left := shim.KillMarked(mark, 10*time.Second); left != 0 {
		t.Errorf("%d are left", left)
	}
	<-other.Gone()
	wantDead(t, []int{other.PID()}, 0)
}
