package plug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/shim/jail"
)

// group makes the control group that bounds the processes of the environment,
// where one can be made on this machine. Its path is written down before.
func (b *sandbox) group(ctx context.Context, s Scope, outer Env, found foundSandbox, spec *jail.Spec) error {
	if b.c.PIDs == 0 || found.Groups == "" || !onHost(outer) {
		return nil
	}
	dir := filepath.Join(found.Groups, "blaise-"+s.Environment+"-"+s.ID)
	// The name first: Destroy takes out of the ledger what stands there.
	if err := os.WriteFile(filepath.Join(s.Dir, groupName), []byte(dir), 0o600); err != nil {
		return fmt.Errorf("write down control group: %w", err)
	}
	if err := s.Intend(ctx, groupResource(dir)); err != nil {
		return fmt.Errorf("enter control group in the ledger: %w", err)
	}
	err := os.Mkdir(dir, 0o755)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = os.WriteFile(filepath.Join(dir, "pids.max"), []byte(strconv.Itoa(b.c.PIDs)), 0)
	}
	if err != nil {
		return fmt.Errorf("make control group: %w", err)
	}
	spec.Group = dir
	return nil
}

func groupResource(dir string) blaise.Resource {
	return blaise.Resource{Kind: "cgroup", Name: dir}
}

// groupLimit is how long the last process of a group may take to leave it.
const groupLimit = 5 * time.Second

// dropGroup ends what is in the control group that was written down, and
// removes it.
func dropGroup(ctx context.Context, s Scope) error {
	file := filepath.Join(s.Dir, groupName)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find control group: %w", err)
	}
	dir := string(b)
	for deadline := time.Now().Add(groupLimit); ; time.Sleep(5 * time.Millisecond) {
		err = os.Remove(dir)
		if !errors.Is(err, syscall.EBUSY) || ctx.Err() != nil || time.Now().After(deadline) {
			break
		}
		killGroup(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove control group: %w", err)
	}
	if err := s.Forget(ctx, groupResource(dir)); err != nil {
		return err
	}
	return os.Remove(file)
}

// killGroup ends all that is in the group now.
func killGroup(dir string) {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return // it is gone, or the removal says why not
	}
	for _, field := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
