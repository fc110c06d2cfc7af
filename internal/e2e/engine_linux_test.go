package e2e_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A privateOne is an engine of the test's own, in a network of its own: a second
// engine takes away the bridge that the first has on a machine.
type privateOne struct {
	t      *testing.T
	dir    string
	host   string
	net    *os.File
	daemon *exec.Cmd
}

// privateEngine starts an engine that the test may kill and restart.
func privateEngine(t *testing.T) *privateOne {
	t.Helper()
	if _, err := exec.LookPath("dockerd"); err != nil || os.Getuid() != 0 || os.Getenv("BLAISE_TEST_DOCKER") == "" {
		t.Skip("an engine to restart needs root, dockerd and BLAISE_TEST_DOCKER")
	}
	dir, err := os.MkdirTemp("", "engine-")
	if err != nil {
		t.Fatal(err)
	}
	e := &privateOne{t: t, dir: dir, host: "unix://" + dir + "/d.sock"}
	if err := elsewhere(nil, func() (err error) { e.net, err = os.Open("/proc/thread-self/ns/net"); return err }); err != nil {
		t.Fatal(err)
	}
	e.begin()
	t.Cleanup(func() {
		e.end()
		e.net.Close()
		_ = exec.Command("umount", dir+"/data").Run()
		_ = os.RemoveAll(dir)
	})
	return e
}

func (e *privateOne) begin() {
	e.t.Helper()
	log, err := os.OpenFile(filepath.Join(e.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		e.t.Fatal(err)
	}
	defer log.Close()
	space := fmt.Sprintf("--net=/proc/%d/fd/%d", os.Getpid(), e.net.Fd())
	e.daemon = exec.Command("nsenter", space, "dockerd", "--data-root", e.dir+"/data",
		"--exec-root", e.dir+"/exec", "-H", e.host, "-p", e.dir+"/d.pid")
	e.daemon.Stdout, e.daemon.Stderr = log, log
	e.daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := e.daemon.Start(); err != nil {
		e.t.Fatal(err)
	}
	if !poll(limit, func() bool { return exec.Command("docker", "-H", e.host, "info").Run() == nil }) {
		e.t.Fatal("the engine does not answer")
	}
}

func (e *privateOne) end() {
	_ = e.daemon.Process.Signal(syscall.SIGTERM) // gone already is as good
	_ = e.daemon.Wait()
}

func (e *privateOne) restart() { e.end(); e.begin() }

// listen listens where the containers of the engine reach it, and answers the
// address that they have for it: that of the bridge.
func (e *privateOne) listen() (l net.Listener, address string) {
	e.t.Helper()
	err := elsewhere(e.net, func() error {
		bridge, err := net.InterfaceByName("docker0")
		if err != nil {
			return err
		}
		all, err := bridge.Addrs()
		if err != nil || len(all) == 0 {
			return fmt.Errorf("the bridge has no address: %w", err)
		}
		ip, _, err := net.ParseCIDR(all[0].String())
		if err != nil {
			return err
		}
		// On every address: the bridge goes with the engine, and comes back.
		l, err = net.Listen("tcp4", "0.0.0.0:0")
		if err == nil {
			address = fmt.Sprintf("%s:%d", ip, l.Addr().(*net.TCPAddr).Port)
		}
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return l, address
}

// elsewhere does something in another network; nil is a new one. The thread is
// given up after it.
func elsewhere(space *os.File, do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := error(nil)
		if space == nil {
			err = unix.Unshare(unix.CLONE_NEWNET)
		} else {
			err = unix.Setns(int(space.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	return <-done
}
