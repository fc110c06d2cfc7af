package jail_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/internal/shim/jail"
)

// What a thread starts after a join begins in the control group, of either
// version, and what others start does not.
func TestJoinBeginsInTheGroup(t *testing.T) {
	for version, parent := range map[string]string{"1": "/sys/fs/cgroup/pids", "2": unified()} {
		t.Run("version "+version, func(t *testing.T) {
			group := filepath.Join(parent, "blaise-join-"+filepath.Base(t.TempDir()))
			if err := os.Mkdir(group, 0o755); parent == "" || err != nil {
				t.Skip("no control group of this version can be made here: ", err)
			}
			defer os.Remove(group)
			runtime.LockOSThread()
			where := startIn(t, group)
			_ = os.WriteFile(filepath.Join(parent, "tasks"), []byte("0"), 0) // version 1 moved this thread
			runtime.UnlockOSThread()
			if !strings.Contains(where, filepath.Base(group)) {
				t.Errorf("it began in\n%s", where)
			}
			if where, err := exec.Command("cat", "/proc/self/cgroup").Output(); err != nil || strings.Contains(string(where), filepath.Base(group)) {
				t.Errorf("another began there too: %s %v", where, err)
			}
		})
	}
}

// unified is where version 2 is mounted; "" if it is not.
func unified() string {
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(dir, "cgroup.subtree_control")); err == nil {
			return dir
		}
	}
	return ""
}

func startIn(t *testing.T, group string) string {
	cmd := exec.Command("cat", "/proc/self/cgroup")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	release, err := jail.Spec{Group: group}.Join(cmd.SysProcAttr)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer release()
	out, err := cmd.Output()
	if err != nil {
		t.Error(err)
	}
	return string(out)
}
