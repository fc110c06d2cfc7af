package plugtest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Limit is the test's context with an end.
func Limit(t testing.TB, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// WorkingIn are the processes whose directory is dir or below it.
func WorkingIn(dir string) []int {
	var found []int
	eachProcess(func(pid int, proc string) {
		if cwd, err := os.Readlink(proc + "/cwd"); err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/")) {
			found = append(found, pid)
		}
	})
	return found
}

// Showing are the command lines of this machine's processes, as ps prints them,
// that have text in them.
func Showing(text string) []string {
	var found []string
	eachProcess(func(_ int, proc string) {
		args, _ := os.ReadFile(proc + "/cmdline") // gone meanwhile: empty
		if line := strings.ReplaceAll(string(args), "\x00", " "); strings.Contains(line, text) {
			found = append(found, line)
		}
	})
	return found
}

func eachProcess(do func(pid int, proc string)) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil && pid != os.Getpid() {
			do(pid, proc)
		}
	}
}
