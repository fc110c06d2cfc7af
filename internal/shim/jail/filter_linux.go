package jail

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are the system calls that no prisoner needs: they change the machine,
// make new namespaces, or reach the kernel where it is least defended. Those of
// one machine alone are alsoRefused.
var refused = []uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_ADJTIMEX, unix.SYS_BPF, unix.SYS_CHROOT,
	unix.SYS_CLOCK_ADJTIME, unix.SYS_CLOCK_SETTIME, unix.SYS_DELETE_MODULE, unix.SYS_FANOTIFY_INIT,
	unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK,
	unix.SYS_INIT_MODULE, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_URING_SETUP,
	unix.SYS_KCMP, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_KEXEC_LOAD, unix.SYS_KEYCTL, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT,
	unix.SYS_MOVE_PAGES, unix.SYS_NFSSERVCTL, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE,
	unix.SYS_PERF_EVENT_OPEN, unix.SYS_PIVOT_ROOT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_REBOOT, unix.SYS_REQUEST_KEY, unix.SYS_SETDOMAINNAME, unix.SYS_SETHOSTNAME, unix.SYS_SETNS,
	unix.SYS_SETTIMEOFDAY, unix.SYS_SWAPOFF, unix.SYS_SWAPON, unix.SYS_SYSLOG, unix.SYS_UMOUNT2,
	unix.SYS_UNSHARE, unix.SYS_USERFAULTFD, unix.SYS_VHANGUP,
}

const (
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)

	namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
)

// Where the kernel puts what a filter looks at.
const (
	numberOffset = 0
	archOffset   = 4
	argsOffset   = 16
)

// x32 is the first number of the calls of amd64 with short pointers: they would
// be a way around everything. Other machines have none so high.
const x32 = 0x40000000

// loadFilter refuses system calls on this thread and all that it starts. It
// comes last: what came before would not pass it.
func (s Spec) loadFilter() error {
	program, err := s.filter()
	if err != nil {
		return fmt.Errorf("make filter: %w", err)
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
	if err != nil {
		return fmt.Errorf("load filter: %w", err)
	}
	return nil
}

// filter is made anew for every prisoner: that takes microseconds, where a
// library of all calls of all machines takes a third of a millisecond to begin.
func (s Spec) filter() ([]unix.SockFilter, error) {
	if auditArch == 0 {
		return nil, fmt.Errorf("no numbers of system calls are known for %s", runtime.GOARCH)
	}
	all := slices.Concat(
		[]bpf.Instruction{
			bpf.LoadAbsolute{Off: archOffset, Size: 4}, // of another machine (int 0x80) the numbers are others
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
			bpf.RetConstant{Val: refuse},
		},
		when(unix.SYS_IOCTL, terminals()),
		when(unix.SYS_SOCKET, s.sockets()),
		when(unix.SYS_CLONE, namespaces()),
		when(unix.SYS_CLONE3, []bpf.Instruction{bpf.RetConstant{Val: unknown}}), // its flags cannot be read: programs fall back to clone
		[]bpf.Instruction{
			bpf.LoadAbsolute{Off: numberOffset, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
			bpf.RetConstant{Val: unknown},
		},
		noneOf(slices.Concat(refused, alsoRefused)...),
		[]bpf.Instruction{bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}},
	)
	raw, err := bpf.Assemble(all)
	if err != nil {
		return nil, err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		program[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	return program, nil
}
