package jail

import "os"

// Bwrap is the argument list of bwrap for the spec, up to the command. The
// command is its init, and finds the shim's control socket as descriptor 3.
func (s Spec) Bwrap() []string {
	args := []string{
		"--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--as-pid-1", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox",
	}
	if s.Network != NetworkHost {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", "268435456",
		"--tmpfs", "/dev/shm", "--remount-ro", "/dev")
	for _, name := range kernelKnobs { // bwrap leaves them to root, whom it takes for harmless without capabilities
		args = append(args, "--ro-bind-try", "/proc/"+name, "/proc/"+name)
	}
	var covers []string // made read-only when all is in them that is to be
	for _, st := range s.plan() {
		args = append(args, st.bwrap()...)
		if st.kind == empty && !st.file() {
			covers = append(covers, "--remount-ro", st.to)
		}
	}
	args = append(args, covers...)
	return append(args, "--remount-ro", "/", "--chdir", s.Dir, "--")
}

func (st step) bwrap() []string {
	switch st.kind {
	case link:
		return []string{"--symlink", st.from, st.to}
	case dir:
		return []string{"--dir", st.to}
	case empty:
		if st.file() {
			return []string{"--ro-bind", "/dev/null", st.to}
		}
		return []string{"--tmpfs", st.to}
	}
	if st.rw {
		return []string{"--bind", st.from, st.to}
	}
	return []string{"--ro-bind", st.from, st.to}
}

// file says that what the step covers is no directory.
func (st step) file() bool {
	info, err := os.Stat(st.to)
	return err == nil && !info.IsDir()
}
