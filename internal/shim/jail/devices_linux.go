package jail

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// harmlessDevices are all the devices that a prisoner has.
var harmlessDevices = []string{"null", "zero", "full", "random", "urandom", "tty"}

func takeDevices() (map[string]int, error) {
	devices := map[string]int{}
	for _, name := range harmlessDevices {
		fd, err := unix.OpenTree(unix.AT_FDCWD, "/dev/"+name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("take /dev/%s: %w", name, err)
		}
		devices[name] = fd
	}
	return devices, nil
}

func (v *view) addDevices(devices map[string]int) error {
	for name, fd := range devices {
		if err := v.put(fd, "/dev/"+name); err != nil {
			return fmt.Errorf("show /dev/%s: %w", name, err)
		}
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
		"stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := v.link(to, "/dev/"+name); err != nil {
			return fmt.Errorf("show /dev/%s: %w", name, err)
		}
	}
	for _, m := range []struct {
		kind, to string
		options  []string
	}{
		{"devpts", "/dev/pts", []string{"ptmxmode", "0666", "mode", "0620"}},
		{"tmpfs", "/dev/shm", []string{"mode", "1777", "size", "256m"}},
	} {
		fd, err := newMount(m.kind, m.options...)
		if err == nil {
			err = v.put(fd, m.to)
		}
		if err != nil {
			return fmt.Errorf("mount %s: %w", m.to, err)
		}
	}
	return nil
}

// addProc mounts the prisoner's own /proc, its knobs read-only.
func (v *view) addProc() error {
	proc, err := newMount("proc")
	if err == nil {
		err = v.put(proc, "/proc")
	}
	if err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	for _, name := range kernelKnobs {
		knob, err := unix.OpenTree(v.root, "proc/"+name,
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
			err = unix.MountSetattr(knob, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
		}
		if err == nil {
			err = v.put(knob, "/proc/"+name)
		}
		if err != nil {
			return fmt.Errorf("make /proc/%s read-only: %w", name, err)
		}
	}
	return nil
}
