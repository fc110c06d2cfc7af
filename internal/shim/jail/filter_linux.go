package jail

import (
	"fmt"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are the system calls that no prisoner needs: they change the machine,
// make new namespaces, or reach the kernel where it is least defended.
var refused = []string{
	"acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "create_module",
	"delete_module", "fanotify_init", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick",
	"get_kernel_syms", "init_module", "io_uring_enter", "io_uring_register", "io_uring_setup",
	"ioperm", "iopl", "kcmp", "kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie", "migrate_pages",
	"mount", "mount_setattr", "move_mount", "move_pages", "nfsservctl", "open_by_handle_at", "open_tree",
	"perf_event_open", "pivot_root", "quotactl", "quotactl_fd", "reboot", "request_key", "setdomainname",
	"sethostname", "setns", "settimeofday", "stime", "swapoff", "swapon", "syslog", "umount", "umount2",
	"unshare", "userfaultfd", "vhangup", "vm86", "vm86old",
}

const (
	refuse  = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	unknown = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)

	namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
)

// Where the kernel puts what a filter looks at.
const (
	numberOffset = 0
	archOffset   = 4
	argsOffset   = 16
)

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

func (s Spec) filter() ([]unix.SockFilter, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: s.groups(info)}
	body, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	// The library lets calls of another architecture pass (int 0x80): they would
	// be a way around everything.
	head := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(refuse)},
	}
	head = append(head, when(unix.SYS_IOCTL, terminals())...)
	head = append(head, when(unix.SYS_SOCKET, s.sockets())...)
	raw, err := bpf.Assemble(append(head, body...))
	if err != nil {
		return nil, err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		program[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	return program, nil
}

func (s Spec) groups(info *arch.Info) []seccomp.SyscallGroup {
	var names []string
	for _, name := range refused {
		if _, ok := info.SyscallNames[name]; ok {
			names = append(names, name)
		}
	}
	args := func(name string, conditions ...seccomp.Condition) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: conditions}
	}
	var some []seccomp.NameWithConditions
	for bit := uint64(1); bit <= namespaceFlags; bit <<= 1 {
		if bit&namespaceFlags != 0 {
			some = append(some, args("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: bit}))
		}
	}
	return []seccomp.SyscallGroup{
		{Names: names, Action: refuse},
		{NamesWithCondtions: some, Action: refuse},
		{Names: []string{"clone3"}, Action: unknown}, // its flags cannot be read: programs fall back to clone
	}
}
