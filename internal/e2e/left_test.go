package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

const markName = "BLAISE_TEST_MARK"

// A process is one that a script has started, directly or not.
type process struct {
	pid  int
	args string
}

// left finds the processes that carry the mark, or work below dir: an agent
// need not have been given the whole environment.
func left(mark, dir string) []process {
	all, _ := filepath.Glob("/proc/[0-9]*")
	var found []process
	for _, p := range all {
		pid, err := strconv.Atoi(filepath.Base(p))
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(p + "/cmdline") // gone meanwhile: empty
		environ, _ := os.ReadFile(p + "/environ")
		exe, _ := os.Readlink(p + "/exe")
		cwd, _ := os.Readlink(p + "/cwd")
		marked := bytes.Contains(environ, []byte(markName+"="+mark+"\x00"))
		if len(args) > 0 && (marked || within(exe, dir) || within(cwd, dir)) {
			text := strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
			found = append(found, process{pid: pid, args: text})
		}
	}
	return found
}

func within(path, dir string) bool {
	return strings.HasPrefix(path, dir+"/")
}

func killLeft(mark, dir string) {
	for range 10 {
		all := left(mark, dir)
		if len(all) == 0 {
			return
		}
		for _, p := range all {
			_ = syscall.Kill(p.pid, syscall.SIGKILL) // gone already is as good
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func leftOf(ts *testscript.TestScript) []process {
	return left(ts.Getenv(markName), ts.Getenv("WORK"))
}

// noLeft: no process of the script is left, in 10 seconds.
func noLeft(ts *testscript.TestScript, _ bool, _ []string) {
	var all []process
	if poll(patience, func() bool { all = leftOf(ts); return len(all) == 0 }) {
		return
	}
	ts.Fatalf("processes are left: %v", all)
}

// gone TEXT: no process of the script has TEXT in its arguments, in 10 seconds.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	if !poll(patience, func() bool { return !has(ts, args[0]) }) {
		ts.Fatalf("%s is still running: %v", args[0], leftOf(ts))
	}
}

// running TEXT: some process of the script has TEXT in its arguments.
func running(ts *testscript.TestScript, neg bool, args []string) {
	if has(ts, args[0]) == neg {
		ts.Fatalf("running %s: want %v; there are %v", args[0], !neg, leftOf(ts))
	}
}

func has(ts *testscript.TestScript, text string) bool {
	for _, p := range leftOf(ts) {
		if strings.Contains(p.args, text) {
			return true
		}
	}
	return false
}
