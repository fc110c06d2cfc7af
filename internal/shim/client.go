//go:build unix

package shim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The ways in which a command may not start.
var (
	ErrNotFound    = errors.New("command not found")
	ErrNotRunnable = errors.New("not an executable program")
)

const (
	kindNotFound    = "not_found"
	kindNotRunnable = "not_runnable"
	kindFailed      = "failed"
)

// A Command says what to start under a shim. Nil files are /dev/null.
type Command struct {
	Program string // holds the shim: run as PROGRAM shim run -- ARGS
	Args    []string
	Dir     string
	Env     []string // all of it; nil is this process's own
	Stdin   *os.File
	Stdout  *os.File
	Stderr  *os.File
	Fence   time.Duration // on the clock of Boottime; 0: none
	Mark    string        // of all that one run starts, for KillMarked; may be ""
}

// A Process is a command under its shim. Its methods are safe for concurrent
// use.
type Process struct {
	cmd    *exec.Cmd
	ctl    *os.File
	mark   string // of this process alone
	self   uint64 // when the shim started
	pid    int
	start  uint64
	exited chan struct{} // the command ended; code, signal and err are set
	gone   chan struct{} // the shim ended: the tree is empty
	code   int
	signal string
	err    error

	exitOnce, goneOnce sync.Once
}

// Start starts c and returns when it runs, with ErrNotFound or ErrNotRunnable
// if it does not. The end of ctx ends the wait, not a command that runs.
func Start(ctx context.Context, c Command) (*Process, error) {
	if st, err := os.Stat(c.Dir); c.Dir != "" && (err != nil || !st.IsDir()) {
		return nil, fmt.Errorf("start %q: no directory %q", c.Args[0], c.Dir)
	}
	argv := []string{c.Program, "shim", "run", "--fence", strconv.FormatInt(int64(c.Fence), 10), "--"}
	mark := newMark(c.Mark)
	cmd := &exec.Cmd{
		Path: c.Program, Args: append(argv, c.Args...), Dir: c.Dir, Env: c.environ(mark),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, // a terminal's ^C is not for it
	}
	setFiles(cmd, c)
	return launch(ctx, cmd, mark, c.Args[0])
}

// bornVariable is in the environment of what is started as a shim, until Main
// takes it away.
const bornVariable = "BLAISE_SHIM_BORN"

// launch starts cmd, which is a shim of some verb, and waits for its first word
// about the command that is named. A program that was started as a shim and is
// none must not do the same again: it would start itself without end.
func launch(ctx context.Context, cmd *exec.Cmd, mark, name string) (*Process, error) {
	if os.Getenv(bornVariable) != "" {
		return nil, fmt.Errorf("start %q: %q was started as a shim and does not call shim.Main", name, os.Args[0])
	}
	cmd.Env = append(cmd.Environ(), bornVariable+"=1")
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", name, err)
	}
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close() // now, or the end of the shim would not end our reading
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("start shim %q: %w", cmd.Path, err)
	}
	children.Store(cmd.Process.Pid, nil)
	p := &Process{
		cmd: cmd, ctl: ours, mark: mark, self: StartTime(cmd.Process.Pid),
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
	if err := p.begin(ctx); err != nil {
		return nil, fmt.Errorf("start %q: %w", name, err)
	}
	return p, nil
}

func (c Command) environ(mark string) []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clone(env), markVariable+"="+mark+"/")
}

// setFiles leaves nil interfaces, not nil files in interfaces.
func setFiles(cmd *exec.Cmd, c Command) {
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("make socket pair: %w", err)
	}
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		return nil, nil, fmt.Errorf("set socket: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "shim"), os.NewFile(uintptr(fds[1]), "control"), nil
}

// begin waits for the shim's first line, then leaves the rest to follow.
func (p *Process) begin(ctx context.Context) error {
	first := make(chan error, 1)
	go p.follow(first)
	late := time.NewTicker(wakeAfter)
	defer late.Stop()
	for {
		select {
		case err := <-first:
			return err
		case <-late.C: // the command may have stopped it before it said a word
			Wake(p.Shim())
		case <-ctx.Done():
			p.abandon()
			return context.Cause(ctx)
		}
	}
}

// follow reads what the shim says until it is gone, and reaps it.
func (p *Process) follow(first chan<- error) {
	defer p.goneOnce.Do(func() { close(p.gone) })
	lines := bufio.NewScanner(p.ctl)
	started := false
	for lines.Scan() {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		switch verb {
		case "started":
			_, _ = fmt.Sscan(rest, &p.pid, &p.start)
			started = true
			first <- nil
		case "error":
			first <- startError(rest)
			started = true
		case "exit":
			p.setExit(rest)
		}
	}
	p.ctl.Close()
	err := p.cmd.Wait()
	children.Delete(p.cmd.Process.Pid)
	if !started {
		first <- fmt.Errorf("shim %q is no shim, or was killed: %v", p.cmd.Path, err)
	}
	p.mourn(err)
}

// startKind is the kind of an error of Start, as startError reads it.
func startKind(err error) string {
	switch {
	case errors.Is(err, ErrNotFound):
		return kindNotFound
	case errors.Is(err, ErrNotRunnable):
		return kindNotRunnable
	}
	return kindFailed
}

func startError(rest string) error {
	kind, text, _ := strings.Cut(rest, " ")
	return StartError(kind, text)
}

// StartError is the error that a shim, or a sandbox, said in two parts.
func StartError(kind, text string) error {
	switch kind {
	case kindNotFound:
		return ErrNotFound
	case kindNotRunnable:
		return ErrNotRunnable
	}
	return errors.New(text)
}

func (p *Process) setExit(rest string) {
	p.exit(func() {
		_, _ = fmt.Sscan(rest, &p.code, &p.signal)
		if p.signal == "-" {
			p.signal = ""
		}
	})
}

// PID is the pid of the command.
func (p *Process) PID() int { return p.pid }

// Shim is the pid of the shim and when it started, as StartTime has it.
func (p *Process) Shim() (pid int, start uint64) {
	return p.cmd.Process.Pid, p.self
}

// Gone is closed when the whole tree is empty.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Wait returns when the command has ended. Its tree may live a moment longer:
// see Gone.
func (p *Process) Wait() (code int, signal string, err error) {
	<-p.exited
	return p.code, p.signal, p.err
}

// Signal sends sig to the process group of the command. After its end it
// answers os.ErrProcessDone.
func (p *Process) Signal(sig os.Signal) error {
	n, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signal pid %d: no number for %v", p.pid, sig)
	}
	select {
	case <-p.exited:
		return os.ErrProcessDone
	default:
	}
	return p.tell("signal %d", int(n))
}

// Fence moves the deadline, on the clock of Boottime.
func (p *Process) Fence(at time.Duration) error { return p.tell("fence %d", int64(at)) }

// Freeze stops the whole tree, Thaw lets it go on.
func (p *Process) Freeze() error { return p.tell("freeze") }

// Thaw lets a frozen tree go on.
func (p *Process) Thaw() error { return p.tell("thaw") }

// tellLimit is how long a shim may take to read an order.
const tellLimit = time.Second

func (p *Process) tell(format string, args ...any) error {
	// A shim that was stopped reads nothing: its socket fills up.
	_ = p.ctl.SetWriteDeadline(time.Now().Add(tellLimit))
	_, err := fmt.Fprintf(p.ctl, format+"\n", args...)
	if errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return os.ErrProcessDone
	}
	return err
}
