package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"blaise.dev/blaise/internal/shim"
)

// A child is the process of a run: started here, or adopted from the daemon
// before.
type child struct {
	row *row
	cmd *exec.Cmd // nil if adopted

	fenced atomic.Bool // it was killed at its fence
}

// spawn starts the child of r in the order of birth; the child does nothing
// before it has the whole spec.
func (d *Daemon) spawn(r *row) (*child, error) {
	guard, err := lock(r.file("run.lock"))
	if err != nil {
		return nil, err
	}
	if guard == nil {
		return nil, errors.New("another process has the lock of the run")
	}
	defer guard.Close() // the child has it then
	c := &child{row: r}
	stdin, err := c.start(d.c.Command(r.Spec.Program), guard)
	if err != nil {
		return nil, err
	}
	r.PID, r.Boot = c.cmd.Process.Pid, bootID()
	r.Start, r.Born = shim.StartTime(r.PID), shim.Boottime()
	if err := r.write(); err != nil {
		return nil, errors.Join(err, stdin.Close(), c.cmd.Wait()) // it ends without a spec
	}
	if err := json.NewEncoder(stdin).Encode(r.Spec); err != nil {
		return nil, errors.Join(fmt.Errorf("give the run its spec: %w", err), stdin.Close(), c.cmd.Wait())
	}
	return c, stdin.Close()
}

// start runs the command with files as output: a pipe would kill the child
// together with the daemon.
func (c *child) start(argv []string, guard *os.File) (io.WriteCloser, error) {
	stdout, err := os.OpenFile(c.row.file("stdout"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	stderr, err := os.OpenFile(c.row.file("stderr"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Stdout, c.cmd.Stderr = stdout, stderr
	c.cmd.ExtraFiles = []*os.File{guard}
	c.cmd.Env = childEnv()
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a terminal's signals are the daemon's
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	return stdin, nil
}

// childEnv is ours without what is the daemon's alone.
func childEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); key != "BLAISE_RUNNER_TOKEN" && key != "BLAISE_TOKEN" {
			env = append(env, kv)
		}
	}
	return env
}

// lookEvery is how often an adopted child is looked at: it cannot be waited
// for.
const lookEvery = 200 * time.Millisecond

// gone waits until the child is: its lock is free, and it is reaped if it is
// ours. How it ended is for people.
func (c *child) gone(ctx context.Context) (how string, err error) {
	if c.cmd != nil {
		return c.wait(ctx)
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for c.row.locked() {
		select {
		case <-look.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return "its process is gone", nil
}

func (c *child) wait(ctx context.Context) (string, error) {
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }() // ends with the child, or with us
	select {
	case err := <-ended:
		if err == nil {
			return "its process exited", nil
		}
		return fmt.Sprintf("its process ended: %v", err), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// signal reaches the child, and nobody who has got its pid since.
func (c *child) signal(sig os.Signal) error {
	if !c.row.alive() {
		return os.ErrProcessDone
	}
	p, err := os.FindProcess(c.row.PID)
	if err != nil {
		return err
	}
	return p.Signal(sig)
}

// lastLines is the end of what the child wrote on stderr.
func (r *row) lastLines(n int) string {
	b, err := os.ReadFile(r.file("stderr"))
	if err != nil {
		return ""
	}
	b = b[max(0, len(b)-16<<10):]
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
