//go:build linux

package plug_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A prize is what lies outside of a sandbox for a prisoner to get at.
type prize struct {
	Secret   string // a file
	Hooks    string // a directory that git runs programs of
	Home     string // the user's
	Socket   string // of the file system
	Abstract string // its name
	TCP, UDP string
	PID      int // of a process
	Network  string
	Limit    int // of processes
}

// escape tries to get out, as the prisoner that this process is, and prints
// what it got.
func escape(p prize) {
	got := func(name string, err error) {
		if err == nil {
			fmt.Println("ESCAPED:", name)
		}
	}
	for name, err := range p.files() {
		got(name, err)
	}
	for name, err := range p.processes() {
		got(name, err)
	}
	for name, err := range p.sockets() {
		got(name, err)
	}
	for name, err := range kernel() {
		got(name, err)
	}
	got("32-bit system calls", thirtyTwo())
	got("a fork bomb", p.bomb())
	fmt.Println("tried all")
}

func readable(path string) error { _, err := os.ReadFile(path); return err }

func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o755)
	if err == nil {
		f.Close()
	}
	return err
}

func (p prize) files() map[string]error {
	_ = os.Symlink(p.Secret, "link-of-test")
	proc := fmt.Sprintf("/proc/%d/", p.PID)
	all := map[string]error{
		"a file outside":              readable(p.Secret),
		"a file outside by a link":    readable("link-of-test"),
		"a file by /proc/1/root":      readable("/proc/1/root" + p.Secret),
		"a file by another's root":    readable(proc + "root" + p.Secret),
		"another's environment":       readable(proc + "environ"),
		"another's memory":            readable(proc + "mem"),
		"writing a file outside":      tell(unix.Open(p.Secret, unix.O_WRONLY, 0)),
		"a git hook outside":          writable(filepath.Join(p.Hooks, "post-checkout")),
		"the user's login script":     writable(filepath.Join(p.Home, ".profile")),
		"the user's keys":             readable(filepath.Join(p.Home, ".ssh/id")),
		"shadow":                      readable("/etc/shadow"),
		"the system":                  writable("/usr/bin/escaped"),
		"core_pattern":                writable("/proc/sys/kernel/core_pattern"),
		"sysrq":                       writable("/proc/sysrq-trigger"),
		"the shim":                    writable(os.Args[0]),
		"a device":                    unix.Mknod("device-of-test", unix.S_IFBLK|0o666, int(unix.Mkdev(8, 0))),
		"a device of characters":      unix.Mknod("mem-of-test", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 1))),
		"the disk":                    readable("/dev/vda"),
		"a control group":             writable("/sys/fs/cgroup/pids/cgroup.procs"),
		"shared memory without bound": fill("/dev/shm/fill-of-test", 400<<20),
	}
	return all
}

func fill(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	return unix.Fallocate(int(f.Fd()), 0, 0, size)
}

func (p prize) processes() map[string]error {
	return map[string]error{
		"a signal outside": unix.Kill(p.PID, 0),
		"ptrace outside":   unix.PtraceSeize(p.PID),
		"ptrace of the first process": func() error {
			if os.Getppid() == 1 {
				return unix.PtraceSeize(1)
			}
			return unix.EPERM
		}(),
	}
}

func (p prize) sockets() map[string]error {
	all := map[string]error{
		"a socket of the file system": dial("unix", p.Socket),
		"an abstract socket":          dial("unix", "\x00"+p.Abstract),
	}
	for name, family := range map[string]int{"vsock": unix.AF_VSOCK, "packets": unix.AF_PACKET, "alg": unix.AF_ALG} {
		all["a socket of "+name] = tell(unix.Socket(family, unix.SOCK_DGRAM, 0))
	}
	if p.Network == "host" {
		return all
	}
	all["TCP outside"] = dial("tcp", p.TCP)
	all["UDP outside"] = echoed(p.UDP)
	all["MPTCP outside"] = p.raw(unix.AF_INET, unix.SOCK_STREAM, 262)
	all["TCP by a dirty number"] = p.raw(unix.AF_INET|1<<32, unix.SOCK_STREAM, 0)
	all["MPTCP by a dirty number"] = p.raw(unix.AF_INET, unix.SOCK_STREAM, 262|1<<32)
	all["SCTP or raw"] = p.raw(unix.AF_INET, unix.SOCK_RAW, 1)
	return all
}

func tell(fd int, err error) error {
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

// echoed sends a packet and wants it back.
func echoed(address string) error {
	c, err := net.Dial("udp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(300 * time.Millisecond))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

// raw connects with numbers as they are given.
func (p prize) raw(family, kind, proto uint64) error {
	fd, _, errno := syscall.RawSyscall(unix.SYS_SOCKET, uintptr(family), uintptr(kind), uintptr(proto))
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	at, err := net.ResolveTCPAddr("tcp", p.TCP)
	if err != nil {
		return err
	}
	return unix.Connect(int(fd), &unix.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())})
}

// kernel asks the kernel for what a prisoner is not to have.
func kernel() map[string]error {
	call := func(number uintptr, args ...uintptr) error {
		var a [6]uintptr
		copy(a[:], args)
		fd, _, errno := syscall.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			return errno
		}
		unix.Close(int(fd))
		return nil
	}
	var ring [120]byte
	return map[string]error{
		"a user namespace":  unix.Unshare(unix.CLONE_NEWUSER),
		"a mount namespace": unix.Unshare(unix.CLONE_NEWNS),
		"a mount":           unix.Mount("none", "/tmp", "tmpfs", 0, ""),
		"a new root":        unix.Chroot("/"),
		"the keyring":       call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0), // get its id
		"io_uring":          call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&ring))),
		"bpf":               call(unix.SYS_BPF, 0, 0, 0),
		"perf":              call(unix.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&ring)), 0, ^uintptr(0), ^uintptr(0), 0),
		"clone3":            call(unix.SYS_CLONE3, 0, 0),
		"a terminal's input": func() error {
			b := byte('x')
			return call(unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, uintptr(unsafe.Pointer(&b)))
		}(),
		"the host's name": unix.Sethostname([]byte("escaped")),
	}
}

// thirtyTwo runs a program of 32 bits that ends with 42, by int 0x80: no filter
// of 64-bit calls sees that.
func thirtyTwo() error {
	code := []byte{
		0xb8, 1, 0, 0, 0, // mov eax, 1 (exit)
		0xbb, 42, 0, 0, 0, // mov ebx, 42
		0xcd, 0x80, // int 0x80
	}
	const base, header = 0x8048000, 52 + 32
	le := binary.LittleEndian
	elf := append([]byte{0x7f, 'E', 'L', 'F', 1, 1, 1}, make([]byte, 9)...)
	elf = le.AppendUint16(elf, 2) // executable
	elf = le.AppendUint16(elf, 3) // 386
	for _, v := range []uint32{1, base + header, 52, 0, 0} {
		elf = le.AppendUint32(elf, v)
	}
	for _, v := range []uint16{52, 32, 1, 0, 0, 0} {
		elf = le.AppendUint16(elf, v)
	}
	for _, v := range []uint32{1, 0, base, base, uint32(header + len(code)), uint32(header + len(code)), 5, 0x1000} {
		elf = le.AppendUint32(elf, v)
	}
	if err := os.WriteFile("elf-of-test", append(elf, code...), 0o755); err != nil {
		return err
	}
	err := exec.Command("./elf-of-test").Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 42 {
		return nil
	}
	return errors.New("it did not run")
}

// bomb starts more processes than it may.
func (p prize) bomb() error {
	if p.Limit == 0 {
		return errors.New("there is no limit to try")
	}
	var all []*exec.Cmd
	defer func() {
		for _, c := range all {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	for i := range 2 * p.Limit {
		c := exec.Command("sleep", strconv.Itoa(300+i))
		if err := c.Start(); err != nil {
			return err
		}
		all = append(all, c)
	}
	return nil
}
