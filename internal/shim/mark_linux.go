package shim

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// carriers are the processes of this user that live and carry a mark, but for
// this one, each with it. It is in the environment that a process was started
// with: what it changes in itself later is not seen, and a fork keeps it.
func carriers() iter.Seq2[proc, string] {
	return func(yield func(proc, string) bool) {
		dirs, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range dirs {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err != nil || pid == os.Getpid() {
				continue
			}
			for _, mark := range marksIn(dir) {
				if p, ok := readProc(pid); ok && p.state != 'Z' && p.state != 'X' && !yield(p, mark) {
					return
				}
			}
		}
	}
}

// marksIn looks at a process of this user only: others are not to be read.
func marksIn(dir string) (all []string) {
	st, err := os.Stat(dir)
	if err != nil || int(st.Sys().(*syscall.Stat_t).Uid) != os.Getuid() {
		return nil
	}
	env, _ := os.ReadFile(filepath.Join(dir, "environ")) // gone meanwhile: it carries none
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if mark, ok := bytes.CutPrefix(kv, []byte(markVariable+"=")); ok {
			all = append(all, string(mark))
		}
	}
	return all
}

// marked are the processes whose mark begins with the given one.
func marked(mark string) (found []proc) {
	if mark == "" {
		return nil
	}
	for p, has := range carriers() {
		if strings.HasPrefix(has, mark+"/") {
			found = append(found, p)
		}
	}
	return found
}

// Marks are the processes of this user that carry a run's mark, by that mark:
// it is what [Command].Mark was, without a shim's own part.
func Marks() map[string][]int {
	found := map[string][]int{}
	for p, has := range carriers() {
		if mark, _, named := strings.Cut(has, "/"); named {
			found[mark] = append(found[mark], p.pid)
		}
	}
	return found
}

// KillMarked ends all that carries the mark, until two looks in a row find
// nothing or limit has passed: a process that is being started has no
// environment for a moment. It answers how many are left.
func KillMarked(mark string, limit time.Duration) (left int) {
	deadline := time.Now().Add(limit)
	for clean, pause := 0, time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		found := marked(mark)
		if clean++; len(found) > 0 {
			clean = 0
		}
		if clean == 2 || time.Now().After(deadline) {
			return len(found)
		}
		for _, p := range found {
			p.signal(syscall.SIGSTOP) // or it would fork faster than it is killed
		}
		for _, p := range found {
			p.signal(syscall.SIGKILL)
		}
		time.Sleep(pause)
		collect(found)
	}
}

// collect reaps those of the killed that have become children of this process:
// see Inherit.
func collect(killed []proc) {
	for _, p := range killed {
		if now, ok := readProc(p.pid); ok && now.parent == os.Getpid() && now.start == p.start && now.state == 'Z' && !ours(p.pid) {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
}

// KillTree ends the process, which is a shim that does not answer, and all
// below it. The shim goes last: as long as it is there, whatever loses its
// parent comes to it, and is found.
func KillTree(pid int, start uint64) {
	root, ok := readProc(pid)
	if !ok || root.start != start {
		return
	}
	root.signal(syscall.SIGSTOP)
	for range 20 {
		running := 0
		for _, p := range descendants(pid) {
			if p.state != 'T' && p.state != 'Z' {
				running++
			}
			p.signal(syscall.SIGSTOP)
		}
		if running == 0 {
			break
		}
	}
	for range 100 {
		living := 0
		for _, p := range descendants(pid) {
			if p.state != 'Z' {
				living++
				p.signal(syscall.SIGKILL)
			}
		}
		if living == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	root.signal(syscall.SIGKILL)
}

// Wake lets a shim go on that was stopped.
func Wake(pid int, start uint64) { proc{pid: pid, start: start}.signal(syscall.SIGCONT) }

// Inherit makes this process the parent of what its dead shims leave.
func Inherit() error { return becomeSubreaper() }

// KillChildren ends all below this process, for its own end, if a shim was
// lost: what that left has come here, see Inherit. It answers how many are left
// after limit. Without a loss there may be only what others left on purpose: a
// git gc, a credential cache.
func KillChildren(limit time.Duration) (left int) {
	if !lost.Load() {
		return 0
	}
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left = 0
		all := descendants(os.Getpid())
		for _, p := range all {
			if p.state != 'Z' {
				left++
				p.signal(syscall.SIGKILL)
			}
		}
		collect(all)
		if left == 0 || time.Now().After(deadline) {
			return left
		}
		time.Sleep(pause)
	}
}
