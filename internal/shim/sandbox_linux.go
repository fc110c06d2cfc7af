package shim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"blaise.dev/blaise/internal/shim/jail"
)

// sandboxVerb serves "sandbox SPEC -- COMMAND ARGS...": it starts the command
// as a prisoner and is to whoever started it as the command would be, signals
// and end alike. Its first word is a line on stderr, see Word.
func sandboxVerb(args []string) int {
	if len(args) < 3 || args[1] != "--" {
		fmt.Fprintln(os.Stderr, "usage: shim sandbox SPEC -- COMMAND ARGS...")
		return 2
	}
	spec, err := jail.ParseSpec(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim sandbox:", err)
		return 2
	}
	runtime.GOMAXPROCS(1)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTSTP)
	runtime.LockOSThread() // the prisoner dies with this thread
	p, err := imprison(spec, args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, Word(spec.Nonce, "error", startKind(err), oneLine(err.Error())))
		return 126
	}
	fmt.Fprintln(os.Stderr, Word(spec.Nonce, "started"))
	letGo()
	staySmall()
	return relay(p, signals)
}

// imprison starts the command and returns when it runs.
func imprison(spec jail.Spec, argv []string) (*Process, error) {
	if err := spec.Prepare(); err != nil {
		return nil, err
	}
	cmd, err := guardCommand(spec, argv)
	if err != nil {
		return nil, err
	}
	release, err := spec.Join(cmd.SysProcAttr)
	if err != nil {
		return nil, err
	}
	defer release()
	cmd.Env = spec.Environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	p, err := launch(context.Background(), cmd, newMark(""), argv[0])
	return p, missing(err)
}

// missing says what a program that cannot be seen is: not there, though the
// loader may be what is missing.
func missing(err error) error {
	if err != nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}

// guardCommand is the prisoner's first process: a shim that confines itself.
func guardCommand(spec jail.Spec, argv []string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find shim: %w", err)
	}
	inside := append([]string{"shim", "inside", spec.String(), "--"}, argv...)
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	switch spec.Driver {
	case jail.Bubblewrap:
		path, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, fmt.Errorf("find bwrap: %w", err)
		}
		args := append([]string{"bwrap"}, spec.Bwrap()...)
		args = append(args, spec.Shim)
		return &exec.Cmd{Path: path, Args: append(args, inside...), SysProcAttr: attr}, nil
	case jail.Namespaces:
		ownNamespaces(attr, spec)
	case jail.Landlock:
	default:
		return nil, fmt.Errorf("no sandbox driver is known as %q", spec.Driver)
	}
	return &exec.Cmd{Path: self, Args: append([]string{self}, inside...), SysProcAttr: attr}, nil
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

// relay passes signals on until the prisoner's whole tree is gone, and ends as
// its command did.
func relay(p *Process, signals <-chan os.Signal) int {
	for {
		select {
		case s := <-signals:
			_ = p.Signal(s) // it may have ended: then it needs none
		case <-p.Gone():
			code, name, err := p.Wait()
			if err != nil {
				return 126
			}
			dieOf(name)
			return code
		}
	}
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
