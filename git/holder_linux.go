package git

import (
	"errors"
	"io/fs"
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

// worked reports whether a git works in dir, or has a file below it open; sure
// is false where that cannot be seen of every git there is.
func worked(dir string) (busy, sure bool) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	procs, err := filepath.Glob("/proc/[0-9]*")
	sure = err == nil && len(procs) > 0
	for _, p := range procs {
		comm, err := os.ReadFile(p + "/comm")
		name := strings.TrimSpace(string(comm))
		if err != nil || name != "git" && !strings.HasPrefix(name, "git-") {
			continue
		}
		open := []string{p + "/cwd"}
		fds, _ := os.ReadDir(p + "/fd") // whose cannot be listed, its cwd cannot be read
		for _, fd := range fds {
			open = append(open, filepath.Join(p, "fd", fd.Name()))
		}
		for _, link := range open {
			to, err := os.Readlink(link)
			if to == dir || strings.HasPrefix(to, dir+"/") {
				return true, true
			}
			sure = sure && !errors.Is(err, fs.ErrPermission)
		}
	}
	return false, sure
}
