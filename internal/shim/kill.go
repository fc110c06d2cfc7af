//go:build unix

package shim

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// The steps of Kill. A command may stop its own shim, which is then deaf: it is
// woken, and if it still does not do its work, that is done from here. Even
// then a process in an uninterruptible wait, or of another user, may never go.
const (
	wakeAfter = 2 * time.Second
	hardAfter = 5 * time.Second
	killLimit = 30 * time.Second
	markLimit = 10 * time.Second // for what a dead shim left
)

// Kill ends the whole tree and returns when it is empty. It may be called at
// any time, and twice. After an error nothing waits for the process any more:
// Wait and Gone have ended, too.
func (p *Process) Kill() error {
	began := time.Now()
	if err := p.tell("kill"); err != nil && !errors.Is(err, os.ErrProcessDone) &&
		!errors.Is(err, os.ErrDeadlineExceeded) { // it reads nothing: see below
		return fmt.Errorf("kill pid %d: %w", p.pid, err)
	}
	steps := []struct {
		after time.Duration
		do    func()
	}{{wakeAfter, p.wake}, {hardAfter, p.killHard}, {killLimit, p.giveUp}}
	for _, s := range steps {
		if p.goneWithin(time.Until(began.Add(s.after))) {
			return nil
		}
		s.do()
	}
	return fmt.Errorf("kill pid %d: its tree is not empty after %v", p.pid, killLimit)
}

// abandon is Kill for a shim that has not said that it started anything.
func (p *Process) abandon() {
	p.ctl.Close()
	if p.goneWithin(wakeAfter) {
		return
	}
	Wake(p.Shim())
	if !p.goneWithin(hardAfter - wakeAfter) {
		KillTree(p.Shim())
		p.goneWithin(killLimit - hardAfter)
	}
}

func (p *Process) goneWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.gone:
		return true
	case <-t.C:
		return false
	}
}

func (p *Process) wake() {
	Wake(p.Shim())
	_ = p.tell("kill") // the first may not have got through
}

func (p *Process) killHard() {
	KillTree(p.Shim())
	if p.pid > 0 && !p.hasExited() {
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

func (p *Process) giveUp() {
	p.exit(func() { p.err = fmt.Errorf("pid %d cannot be killed", p.pid) })
	p.goneOnce.Do(func() { close(p.gone) })
}

// mourn ends what a shim left that was killed itself: the command dies with
// the shim, its group and all that carries the shim's mark is ended here.
func (p *Process) mourn(err error) {
	if err == nil && p.hasExited() {
		return // it stayed until its tree was empty
	}
	lost.Store(true)
	if p.pid > 0 && !p.hasExited() {
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
	left := KillMarked(p.mark, markLimit)
	p.exit(func() {
		p.err = fmt.Errorf("the shim of pid %d ended before its command: %v", p.pid, err)
		if left > 0 {
			p.err = fmt.Errorf("%w; %d processes that it started cannot be killed", p.err, left)
		}
	})
}

// exit sets how the command ended, once.
func (p *Process) exit(set func()) {
	p.exitOnce.Do(func() {
		set()
		close(p.exited)
	})
}

func (p *Process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
