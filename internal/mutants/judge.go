package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A verdict is what became of a mutant.
type verdict struct {
	word string
	good bool
	said string // the first thing that the test said, or what went wrong
}

// judge runs the test of the mutant. A mutant that does not compile, and a test
// that is skipped, prove nothing.
func (m mutant) judge(ctx context.Context, dir string) verdict {
	path, err := m.overlay(dir)
	if err != nil {
		return verdict{word: "LOST", said: err.Error()}
	}
	pkg, name, _ := strings.Cut(m.test, " ")
	out, err := goTest(ctx, pkg, pattern(name), "-overlay="+path)
	switch {
	case strings.Contains(out, "--- FAIL: "+name):
		return verdict{word: "noticed", good: true, said: complaint(out)}
	case err != nil:
		return verdict{word: "BROKEN", said: fmt.Sprintf("%v\n%s", err, tail(out))}
	case strings.Contains(out, "--- SKIP: "+name):
		return verdict{word: "SKIPPED", said: complaint(out)}
	}
	return verdict{word: "SURVIVED", said: "the test passes without it"}
}

// whole makes sure that all tests pass before anything is taken out: a test
// that fails anyway notices nothing.
func whole(ctx context.Context, all []mutant) error {
	names := map[string][]string{}
	for _, test := range testsOf(all) {
		pkg, name, _ := strings.Cut(test, " ")
		name, _, _ = strings.Cut(name, "/")
		names[pkg] = append(names[pkg], name)
	}
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		tests := names[pkg]
		if out, err := goTest(ctx, pkg, "^("+strings.Join(tests, "|")+")$"); err != nil {
			return fmt.Errorf("test %s as it is: %w\n%s", pkg, err, tail(out))
		}
	}
	return nil
}

func pattern(name string) string { return "^" + strings.ReplaceAll(name, "/", "$/^") + "$" }

// testLimit is longer than what a test itself waits for.
const testLimit = "4m"

// goTest runs tests of a package. Flags stand in the environment, because tests
// may build programs of their own.
func goTest(ctx context.Context, pkg, run string, flags ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-vet=off", "-timeout="+testLimit, "-run", run, "./"+pkg)
	cmd.Dir = root
	flags = append([]string{os.Getenv("GOFLAGS")}, flags...)
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(strings.Join(flags, " ")))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what the test has started goes with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// complaint is the first line that a test wrote, as in "x_test.go:12: got 1".
func complaint(out string) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return ""
}

func tail(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
