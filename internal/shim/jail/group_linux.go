package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// FindGroups is the directory in which this process can make control groups
// that bound the number of processes, of version 1 or 2.
func FindGroups() (string, error) {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", fmt.Errorf("find control groups: %w", err)
	}
	var errs []error
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, dir := range groupDirs(parts[1], parts[2]) {
			err := tryGroup(dir)
			if err == nil {
				return dir, nil
			}
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		return "", errors.New("no control group bounds processes here")
	}
	return "", errs[len(errs)-1]
}

func groupDirs(controllers, path string) []string {
	switch {
	case controllers == "": // version 2
		return []string{filepath.Join("/sys/fs/cgroup", path), "/sys/fs/cgroup"}
	case strings.Contains(","+controllers+",", ",pids,"):
		return []string{filepath.Join("/sys/fs/cgroup/pids", path), "/sys/fs/cgroup/pids"}
	}
	return nil
}

// tryGroup makes one and removes it.
func tryGroup(parent string) error {
	dir := filepath.Join(parent, fmt.Sprintf("blaise-probe-%d", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("make control group: %w", err)
	}
	defer os.Remove(dir)
	if _, err := os.Stat(filepath.Join(dir, "pids.max")); err != nil {
		return errors.New("the control groups here do not bound processes")
	}
	return nil
}
