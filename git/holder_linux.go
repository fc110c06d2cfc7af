package git

import (
	"os"
	"path/filepath"
	"strings"
)

// holds reports whether some process has the file open, or is a git that works
// where the file's repository is; sure is false where that cannot be seen.
func holds(path string) (held, sure bool) {
	gitDir := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(gitDir); err == nil {
		gitDir = real
	}
	file := filepath.Join(gitDir, filepath.Base(path))
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(procs) == 0 {
		return false, false
	}
	for _, p := range procs {
		fds, _ := os.ReadDir(p + "/fd")
		for _, fd := range fds {
			if to, _ := os.Readlink(filepath.Join(p, "fd", fd.Name())); to == file {
				return true, true
			}
		}
		if works(p, gitDir) {
			return true, true
		}
	}
	return false, true
}

// works reports whether p is a git whose directory is that of the lock.
func works(p, gitDir string) bool {
	name, err := os.ReadFile(p + "/comm")
	if err != nil || !strings.HasPrefix(string(name), "git") {
		return false
	}
	cwd, err := os.Readlink(p + "/cwd")
	if err != nil {
		return false
	}
	if cwd == gitDir || strings.HasPrefix(gitDir, cwd+"/.git") {
		return true
	}
	link, err := os.ReadFile(filepath.Join(cwd, ".git"))
	return err == nil && strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir: ")) == gitDir
}
