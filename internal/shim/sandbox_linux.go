package shim

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"blaise.dev/blaise/internal/shim/jail"
)

// sandboxVerb serves "sandbox SPEC -- COMMAND ARGS..." where no keeper has seen
// that it was to start this: it is to whoever started it as the command would
// be, signals and end alike.
func sandboxVerb(args []string) int {
	self, err := os.Executable()
	var ours, theirs *os.File
	if err == nil {
		ours, theirs, err = socketPair()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim sandbox:", err)
		return 126
	}
	runtime.GOMAXPROCS(1)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTSTP)
	go func() { // ends with the program
		for s := range signals {
			fmt.Fprintf(ours, "signal %d\n", s)
		}
	}()
	go func() {
		defer func() { _ = syscall.Shutdown(int(theirs.Fd()), syscall.SHUT_WR) }() // it is read from still
		newKeeper(theirs, 0).run(append([]string{self, "shim", "sandbox"}, args...))
	}()
	return relay(ours)
}

// relay ends as the keeper says that the command did, when its tree is gone.
func relay(ctl *os.File) int {
	code, name := 126, ""
	lines := bufio.NewScanner(ctl)
	for lines.Scan() {
		switch verb, rest, _ := strings.Cut(lines.Text(), " "); verb {
		case "error":
			fmt.Fprintln(os.Stderr, "shim sandbox:", rest)
		case "exit":
			_, _ = fmt.Sscan(rest, &code, &name)
		}
	}
	dieOf(name)
	return code
}

// startGuard starts the prisoner's first process: a shim that confines itself.
// It must be called on a thread that stays: the prisoner dies with it.
func startGuard(spec jail.Spec, argv []string, ctl *os.File) (pid int, err error) {
	path, args, err := guardCommand(spec, argv)
	if err != nil {
		return 0, err
	}
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if spec.Driver == jail.Namespaces {
		ownNamespaces(attr, spec)
	}
	release, err := spec.Join(attr)
	if err != nil {
		return 0, err
	}
	defer release()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	// The command's files are for the command: bwrap, which stays, would hold
	// them open longer. What it complains of is for us.
	pid, err = syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env:   append(spec.Environ(os.Environ()), bornVariable+"=1"),
		Files: []uintptr{null.Fd(), null.Fd(), ctl.Fd(), ctl.Fd(), 0, 1, 2}, Sys: attr,
	})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	return pid, nil
}

// takeFiles makes the files that a guard was started with its command's.
func takeFiles() error {
	for fd := range 3 {
		if err := replaceFD(firstFile+fd, fd); err != nil {
			return fmt.Errorf("take files of the command: %w", err)
		}
		_ = syscall.Close(firstFile + fd) // or they would be held open
	}
	return nil
}

// firstFile is where a guard finds the command's files, behind its own.
const firstFile = 4

func guardCommand(spec jail.Spec, argv []string) (path string, args []string, err error) {
	inside := append([]string{"shim", "inside", spec.String(), "--"}, argv...)
	switch spec.Driver {
	case jail.Bubblewrap:
		if path, err = exec.LookPath("bwrap"); err != nil {
			return "", nil, fmt.Errorf("find bwrap: %w", err)
		}
		args = append([]string{"bwrap"}, spec.Bwrap()...)
		return path, append(append(args, spec.Shim), inside...), nil
	case jail.Namespaces, jail.Landlock:
		return spec.Shim, append([]string{spec.Shim}, inside...), nil
	}
	return "", nil, fmt.Errorf("no sandbox driver is known as %q", spec.Driver)
}

// ownNamespaces has the kernel make them. The user is the same inside: what it
// writes is its own outside.
func ownNamespaces(attr *syscall.SysProcAttr, spec jail.Spec) {
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	if spec.Network != jail.NetworkHost {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Getuid(), os.Getgid()
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
}

// dieOf ends this process by the signal, if it is one that ends a process and
// nothing more.
func dieOf(name string) {
	switch n := unix.SignalNum(name); n {
	case unix.SIGKILL, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2:
		signal.Reset(n)
		_ = syscall.Kill(os.Getpid(), n)
		select {} // until it comes
	}
}

// insideVerb is the first process of a sandbox: "inside SPEC -- COMMAND
// ARGS...", with the control socket of run.
func insideVerb(args []string) int {
	if len(args) < 3 || args[1] != "--" {
		return usage()
	}
	ctl, err := openControl()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim:", err)
		return 2
	}
	runtime.GOMAXPROCS(1)
	deafen()
	k := newKeeper(ctl, 0)
	spec, err := jail.ParseSpec(args[0])
	if err == nil {
		err = enter(spec)
	}
	if err == nil {
		err = takeFiles()
	}
	if err != nil {
		k.say("error %s make sandbox (%s): %s", kindFailed, spec.Driver, oneLine(err.Error()))
		return 126
	}
	return k.run(args[2:])
}

// enter confines this process, and opens the door to the proxy if it has one.
func enter(spec jail.Spec) error {
	if err := spec.Enter(); err != nil {
		return err
	}
	// Who shares its user with the prisoner must not be looked into.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("close memory: %w", err)
	}
	if spec.Network == jail.NetworkProxy && spec.OwnView() {
		return openDoor(spec)
	}
	return nil
}
