package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

const (
	patience = 10 * time.Second // for what should be done already
	limit    = 60 * time.Second // for what takes its time on a loaded machine
)

// poll asks until it is told true, or time is up.
func poll(within time.Duration, ask func() bool) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ask() {
			return true
		}
	}
	return ask()
}

// begin DIR: a git repository with a few files and one commit.
func begin(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Join(dir, "src"), 0o755))
	ts.Check(os.WriteFile(filepath.Join(dir, "README.md"), []byte("# A thing\n"), 0o644))
	ts.Check(os.WriteFile(filepath.Join(dir, "src", "main.txt"), []byte("one\ntwo\n"), 0o644))
	for _, a := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "first"},
	} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, a...)...))
	}
}

// exits CODE PROGRAM ARG...: the program exits with this code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	c := command(ts, args[1:]...)
	c.Stdout, c.Stderr = ts.Stdout(), ts.Stderr()
	err = c.Run()
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func command(ts *testscript.TestScript, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(programs, args[0]), args[1:]...)
	c.Dir = ts.MkAbs(".")
	for _, name := range []string{
		"PATH", "HOME", "WORK", "BLAISE_DATA", "BLAISE_URL", "BLAISE_TOKEN", "BLAISE_RUNNER_TOKEN", "XDG_CONFIG_HOME",
		markName,
	} {
		if v := ts.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	return c
}

// jsonfield FILE PATH NAME: sets NAME to a field of a JSON file; stdout will
// do for a file.
func jsonField(ts *testscript.TestScript, _ bool, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	for _, key := range strings.Split(args[1], ".") {
		if i, err := strconv.Atoi(key); err == nil {
			list, _ := v.([]any)
			if i >= len(list) {
				ts.Fatalf("%s: no element %d", args[1], i)
			}
			v = list[i]
			continue
		}
		m, _ := v.(map[string]any)
		v = m[key]
	}
	ts.Setenv(args[2], fmt.Sprint(v))
}

func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	if !poll(limit, func() bool { _, err := os.Stat(path); return err == nil }) {
		ts.Fatalf("%s does not come", args[0])
	}
}

// waitline FILE TEXT: the file has TEXT in it.
func waitLine(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	if !poll(limit, func() bool { b, _ := os.ReadFile(path); return strings.Contains(string(b), args[1]) }) {
		ts.Fatalf("%s does not say %q", args[0], args[1])
	}
}

// waitsaid PATTERN PROGRAM ARGS...: what the program prints comes to match, as the
// record is a moment behind what is seen. stdout is what it printed last.
func waitSaid(ts *testscript.TestScript, _ bool, args []string) {
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	var out []byte
	said := poll(limit, func() bool {
		out, err = command(ts, args[1:]...).Output()
		return err == nil && pattern.Match(out)
	})
	_, _ = ts.Stdout().Write(out)
	if !said {
		ts.Fatalf("%s does not say %q: %v", strings.Join(args[1:], " "), args[0], err)
	}
}

type shown struct {
	State       string
	Environment struct{ State string }
	Messages    []struct{ ID, State, Reason string }
}

func show(ts *testscript.TestScript, id string) (shown, string) {
	var s shown
	c := command(ts, "blaise", "session", "show", id, "--json")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return s, errs.String()
	}
	ts.Check(json.Unmarshal(out, &s))
	return s, string(out)
}

// waitstate ID STATE...: the session is in one of the states; env:STATE is one
// of its environment.
func waitState(ts *testscript.TestScript, _ bool, args []string) {
	var said string
	ok := poll(limit, func() bool {
		var s shown
		s, said = show(ts, args[0])
		return slices.Contains(args[1:], s.State) || slices.Contains(args[1:], "env:"+s.Environment.State)
	})
	if !ok {
		ts.Fatalf("session %s does not become %v:\n%s", args[0], args[1:], said)
	}
}

// waitmsg ID MESSAGE STATE...: the message (m1) is in one of the states.
func waitMessage(ts *testscript.TestScript, _ bool, args []string) {
	id, want := args[0]+"."+args[1], args[2:]
	var said, state string
	ok := poll(limit, func() bool {
		var s shown
		s, said = show(ts, args[0])
		for _, m := range s.Messages {
			if m.ID == id {
				state = m.State
			}
		}
		return slices.Contains(want, state) || state == "failed"
	})
	if !ok || !slices.Contains(want, state) {
		ts.Fatalf("message %s is %s, want %v:\n%s", id, state, want, said)
	}
}

// worktree REPO BRANCH NAME: sets NAME to where the branch is checked out.
func worktree(ts *testscript.TestScript, _ bool, args []string) {
	out, err := exec.Command("git", "-C", ts.MkAbs(args[0]), "worktree", "list", "--porcelain").Output()
	ts.Check(err)
	for block := range strings.SplitSeq(string(out), "\n\n") {
		if strings.Contains(block+"\n", "branch refs/heads/"+args[1]+"\n") {
			dir, _, _ := strings.Cut(strings.TrimPrefix(block, "worktree "), "\n")
			ts.Setenv(args[2], dir)
			return
		}
	}
	ts.Fatalf("branch %s is checked out nowhere:\n%s", args[1], out)
}

// bytes FILE N: a file of N letters.
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("x"), n), 0o644))
}
