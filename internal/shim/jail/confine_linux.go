package jail

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Enter makes this process the prisoner that s describes. What it starts is
// one too. Under Namespaces it must be alone in namespaces of its own; it keeps
// the calling thread, and what must be made on that thread is made there.
func (s Spec) Enter() error {
	runtime.LockOSThread()
	if s.Driver == Namespaces {
		if err := s.enterView(); err != nil {
			return err
		}
		if err := unix.Sethostname([]byte("sandbox")); err != nil {
			return fmt.Errorf("set host name: %w", err)
		}
		if s.Network != NetworkHost {
			if err := raiseLoopback(); err != nil {
				return fmt.Errorf("raise loopback device: %w", err)
			}
		}
	}
	if err := os.Chdir(s.Dir); err != nil {
		return fmt.Errorf("enter directory: %w", err)
	}
	if err := s.limit(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	if err := s.restrictAccess(); err != nil {
		return err
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	return s.loadFilter()
}

// limit bounds the processes of the prisoner where no control group does: by
// its user, counted in its own user namespace. Root is not bound by that.
func (s Spec) limit() error {
	core := unix.Rlimit{}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return fmt.Errorf("limit core dumps: %w", err)
	}
	if s.PIDs == 0 || s.Group != "" || !s.OwnView() {
		return nil
	}
	n := unix.Rlimit{Cur: uint64(s.PIDs), Max: uint64(s.PIDs)}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &n); err != nil {
		return fmt.Errorf("limit processes: %w", err)
	}
	return nil
}

// dropPrivileges takes all capabilities from this thread, for good: with no new
// privileges nothing that it starts can gain any.
func dropPrivileges() error {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // has none to begin with
	for c := uintptr(0); c < 64; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the last capability there is
		}
		if err != nil && !errors.Is(err, unix.EPERM) { // without any it need not, with no new privileges
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// raiseLoopback gives a network namespace its 127.0.0.1.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
