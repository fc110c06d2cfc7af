//go:build unix

package shim

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A keeper starts one command, obeys the control socket, and stays until
// nothing of the command's tree is left.
type keeper struct {
	ctl    *os.File
	fence  time.Duration // on the clock of Boottime; 0: none
	timer  *time.Timer
	orders chan string             // closed when the control socket ends
	died   chan syscall.WaitStatus // the command ended
	empty  chan struct{}           // no child is left
	pid    int
	guard  *guard // of a command in a sandbox: pid is its
	begun  bool   // it was said that the command started
	ended  bool   // it was said how it ended; its pid may be somebody else's
	kill   sync.Once
}

func newKeeper(ctl *os.File, fence time.Duration) *keeper {
	return &keeper{
		ctl: ctl, fence: fence, timer: time.NewTimer(0),
		orders: make(chan string), died: make(chan syscall.WaitStatus, 1), empty: make(chan struct{}),
	}
}

func (k *keeper) run(argv []string) int {
	// The command is to die with the thread that started it (Pdeathsig), so
	// that thread must be one that stays.
	runtime.LockOSThread()
	keepDescriptors()
	if err := becomeSubreaper(); err != nil {
		k.say("error failed become subreaper: %v", err)
		return 126
	}
	if k.fence != 0 && Boottime() >= k.fence {
		k.say("error %s the fence has passed", kindFailed)
		return 126
	}
	if kind, err := k.start(argv); err != nil {
		k.say("error %s %s", kind, oneLine(err.Error()))
		return 127
	}
	if k.guard == nil {
		k.begin()
	} else {
		go k.guard.listen()
	}
	go k.listen()
	go k.reap()
	k.obey()
	return 0
}

// begin says that the command runs.
func (k *keeper) begin() {
	k.begun = true
	letGo()
	k.say("started %d %d", k.pid, StartTime(k.pid))
	staySmall()
}

func (k *keeper) say(format string, args ...any) {
	_, _ = fmt.Fprintf(k.ctl, format+"\n", args...) // nobody listens: the socket's end tells
}

func (k *keeper) start(argv []string) (kind string, err error) {
	if order, ok := sandboxOrder(argv); ok {
		return kindFailed, k.imprison(order)
	}
	path, err := exec.LookPath(argv[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return kindOf(err), err
	}
	k.pid, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: childAttr(),
	})
	return kindOf(err), err
}

func kindOf(err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return kindNotFound
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return kindNotRunnable
	}
	return kindFailed
}

// letGo drops the command's input and output: whoever reads the output is to
// see its end when the command's tree has ended, not the shim.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	for fd := range 3 {
		_ = replaceFD(int(null.Fd()), fd)
	}
}

func (k *keeper) listen() {
	defer close(k.orders)
	lines := bufio.NewScanner(k.ctl)
	for lines.Scan() {
		k.orders <- lines.Text()
	}
}

// reap collects every child until there is none: a subreaper without children
// has no descendants at all, which is the proof that the tree is empty.
func (k *keeper) reap() {
	defer close(k.empty)
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case pid == k.pid:
			k.died <- ws
		}
	}
}

func (k *keeper) obey() {
	orders := k.orders
	var words <-chan string
	if k.guard != nil {
		words = k.guard.words
	}
	for {
		select {
		case word, ok := <-words:
			if !ok {
				words = nil
				continue
			}
			k.hear(word)
		case o, ok := <-orders:
			if !ok {
				orders = nil
				o = "kill"
			}
			k.carryOut(o)
		case <-k.timer.C:
			k.checkFence()
		case ws := <-k.died:
			k.end(ws)
		case <-k.empty:
			k.last()
			return
		}
	}
}

// last says what the command exited with, if the two ends raced, and ends what
// is left of its group where there is no subreaper.
func (k *keeper) last() {
	select {
	case ws := <-k.died:
		k.end(ws)
	default:
	}
	killGroup(k.pid)
}

// end takes the death of what was started. A guard may have said before how
// the command ended.
func (k *keeper) end(ws syscall.WaitStatus) {
	if k.guard != nil {
		k.bury()
	}
	if ws.Signaled() {
		k.report(128+int(ws.Signal()), unix.SignalName(ws.Signal()))
	} else {
		k.report(ws.ExitStatus(), "-")
	}
	k.killAll()
}

func (k *keeper) report(code int, signal string) {
	if !k.ended {
		k.ended = true
		k.say("exit %d %s", code, signal)
	}
}

func (k *keeper) carryOut(order string) {
	verb, arg, _ := strings.Cut(order, " ")
	n, err := strconv.ParseInt(arg, 10, 64)
	switch verb {
	case "signal":
		if n > 0 && !k.ended {
			k.signal(syscall.Signal(n))
		}
	case "fence":
		if err != nil {
			return // half a line: the fence stays where it is
		}
		k.fence = time.Duration(n)
		k.checkFence()
	case "freeze":
		signalTree(k.pid, syscall.SIGSTOP)
	case "thaw":
		signalTree(k.pid, syscall.SIGCONT)
	case "kill":
		k.killAll()
	}
}

func (k *keeper) signal(sig syscall.Signal) {
	if k.guard != nil {
		k.guard.signal(sig)
		return
	}
	_ = syscall.Kill(-k.pid, sig)
}

func (k *keeper) killAll() {
	k.kill.Do(func() { go killTree(k.pid, k.empty) })
}

// checkFence looks at the clock that counts sleep: a timer does not, so it is
// never set for longer than two seconds.
func (k *keeper) checkFence() {
	if k.fence == 0 {
		return
	}
	left := k.fence - Boottime()
	if left <= 0 {
		k.killAll()
		return
	}
	k.timer.Reset(min(left, 2*time.Second))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
