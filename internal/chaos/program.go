package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A program is one that the driver keeps running, and kills.
type program struct {
	name string
	log  string // its output, appended to over all its lives
	argv []string
	env  []string
	dir  string

	mu   sync.Mutex // guards what follows
	cmd  *exec.Cmd
	gone chan struct{} // closed when cmd has ended
	how  error         // why it ended
}

func (p *program) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the child has its own
	fmt.Fprintf(log, "--- started %s\n", time.Now().Format(clockFormat))
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.env, p.dir, log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	gone := make(chan struct{})
	p.cmd, p.gone, p.how = cmd, gone, nil
	go func() {
		p.how = cmd.Wait()
		close(gone)
	}()
	return nil
}

// kill is kill -9, and waits for the end.
func (p *program) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Process.Kill() // gone already is as good
	<-p.gone
}

// ended says that the program has ended though nobody killed it.
func (p *program) ended() (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gone:
		return true, p.how
	default:
		return false, nil
	}
}

// signal sends it one; who is gone gets none.
func (p *program) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Process.Signal(s)
}

func (p *program) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

// end ends the program as a user does, with a signal that asks it to.
func (p *program) end(s syscall.Signal, within time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(within):
		_ = p.cmd.Process.Kill()
		<-p.gone
		return fmt.Errorf("%s: not ended %s after %v", p.name, within, s)
	}
}
