package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Join has the next process that the calling thread starts with attr begin in
// the control group of s, if it has one. The thread must stay the caller's. The
// function it answers gives back what that took, once the process has started.
//
// No whole process is ever moved: the kernel then waits until no thread forks
// anywhere, tens of milliseconds. A single thread that moves itself (version 1)
// and a process that is born in its group (version 2) cost nothing
// (cgroup_procs_write_start in kernel/cgroup/cgroup.c; clone(2), CLONE_INTO_CGROUP).
func (s Spec) Join(attr *syscall.SysProcAttr) (release func(), err error) {
	if s.Group == "" {
		return func() {}, nil
	}
	switch err := os.WriteFile(filepath.Join(s.Group, "tasks"), []byte("0"), 0); {
	case err == nil:
		return func() { // the thread goes back: it is none of those that the group bounds
			_ = os.WriteFile(filepath.Join(filepath.Dir(s.Group), "tasks"), []byte("0"), 0)
		}, nil
	case !os.IsNotExist(err) && !os.IsPermission(err): // where there is no such file, none can be made
		return nil, fmt.Errorf("join control group: %w", err)
	}
	dir, err := os.Open(s.Group)
	if err != nil {
		return nil, fmt.Errorf("join control group: %w", err)
	}
	attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
	return func() { _ = dir.Close() }, nil
}
