package agents_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is one that the system under test has started, directly or not.
type process struct {
	pid, parent int
	args        []string
}

func (p process) String() string {
	return fmt.Sprintf("%d %.120s", p.pid, strings.Join(p.args, " "))
}

// processes finds those that carry the mark in their environment, or name dir
// there (HOME is below it), or run or work below it: an agent is not given the
// whole environment of the runner, and need not hand on what it was given.
func processes(mark, dir string) []process {
	all, _ := filepath.Glob("/proc/[0-9]*")
	var found []process
	for _, p := range all {
		pid, err := strconv.Atoi(filepath.Base(p))
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(p + "/cmdline") // gone meanwhile, or a zombie: empty
		if len(args) == 0 {
			continue
		}
		environ, _ := os.ReadFile(p + "/environ")
		exe, _ := os.Readlink(p + "/exe")
		cwd, _ := os.Readlink(p + "/cwd")
		marked := bytes.Contains(environ, []byte(markName+"="+mark+"\x00")) ||
			bytes.Contains(environ, []byte(dir+"/"))
		if marked || within(exe, dir) || within(cwd, dir) {
			found = append(found, process{
				pid: pid, parent: parentOf(p), args: strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"),
			})
		}
	}
	return found
}

func within(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }

// parentOf reads the second field after the name, which stands in brackets.
func parentOf(proc string) int {
	stat, _ := os.ReadFile(proc + "/stat")
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

func isRun(p process) bool { return len(p.args) == 2 && p.args[1] == "run" }

func isShim(p process) bool { return len(p.args) > 2 && p.args[1] == "shim" && p.args[2] == "run" }

// roots are the agents: what a shim has started itself.
func roots(all []process) []process {
	var found []process
	for _, p := range all {
		if slices.ContainsFunc(all, func(q process) bool { return isShim(q) && q.pid == p.parent }) {
			found = append(found, p)
		}
	}
	return found
}

func killAll(mark, dir string) {
	for range 20 {
		all := processes(mark, dir)
		if len(all) == 0 {
			return
		}
		for _, p := range all {
			_ = syscall.Kill(p.pid, syscall.SIGKILL) // gone already is as good
		}
		time.Sleep(50 * time.Millisecond)
	}
}
