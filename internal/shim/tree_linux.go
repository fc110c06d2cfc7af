package shim

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func becomeSubreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// keepDescriptors keeps from the command what the program that started it had
// open and forgot to mark.
func keepDescriptors() { _ = unix.CloseRange(4, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) }

func replaceFD(from, to int) error { return unix.Dup3(from, to, 0) }

// childAttr gives the command its own process group, and its death if the shim
// itself is killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killTree ends all descendants. It stops them first, until a look finds no new
// one: a tree that forks faster than it is killed would win otherwise.
func killTree(_ int, empty <-chan struct{}) {
	for range 20 {
		if signalTree(0, syscall.SIGSTOP) == 0 {
			break
		}
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		signalTree(0, syscall.SIGKILL)
		select {
		case <-empty:
			return
		case <-time.After(pause):
		}
	}
}

func killGroup(int) {} // the tree is empty when the last child is reaped

// signalTree sends sig to every descendant, and says how many of them were not
// yet stopped or dead.
func signalTree(_ int, sig syscall.Signal) (running int) {
	for _, p := range descendants(os.Getpid()) {
		if p.state != 'T' && p.state != 'Z' {
			running++
		}
		p.signal(sig)
	}
	return running
}

type proc struct {
	pid, parent int
	state       byte
	start       uint64
}

// signal sends through a descriptor of the process, after a second look: the
// number alone may have gone to somebody else since the first.
func (p proc) signal(sig syscall.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == unix.ENOSYS {
		_ = syscall.Kill(p.pid, sig)
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if now, ok := readProc(p.pid); ok && now.start == p.start {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// descendants are the processes below root, parents before children.
func descendants(root int) []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	children := map[int][]proc{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readProc(pid); ok {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	all := append([]proc(nil), children[root]...)
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i].pid]...)
	}
	return all
}

// readProc reads /proc/PID/stat. The name in it may hold spaces and brackets.
func readProc(pid int) (proc, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(f) < 20 {
		return proc{}, false
	}
	parent, _ := strconv.Atoi(f[1])
	start, _ := strconv.ParseUint(f[19], 10, 64)
	return proc{pid: pid, parent: parent, state: f[0][0], start: start}, true
}

// StartTime is when pid started, in clock ticks since boot: with the pid and
// the boot id it names a process for good. 0 if there is no such process.
func StartTime(pid int) uint64 {
	p, _ := readProc(pid)
	return p.start
}

// Alive reports whether the process that started then still runs. A zombie
// does not.
func Alive(pid int, start uint64) bool {
	p, ok := readProc(pid)
	return ok && p.start == start && p.state != 'Z' && p.state != 'X'
}

// Boottime is the time since boot, sleep included.
func Boottime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
