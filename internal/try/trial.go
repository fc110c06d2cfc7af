package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A trial is one telling: its folder, the Blaise in it, the session.
type trial struct {
	program   string
	dir       string
	repo      string
	data      string
	dev       *exec.Cmd
	ended     chan struct{} // closed when dev has ended
	session   string
	worktree  string
	ref       string
	processes []string // of the agent, while it ran
}

func newTrial(program string) (*trial, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not on PATH")
	}
	dir, err := os.MkdirTemp("", "blaise-try-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return &trial{
		program: program, dir: dir, repo: filepath.Join(dir, "repo"), data: filepath.Join(dir, "data"),
		ended: make(chan struct{}),
	}, nil
}

// blaise is a command line of blaise on the trial's data folder.
func (t *trial) blaise(args ...string) *exec.Cmd {
	c := exec.Command(t.program, args...)
	c.Env = append(os.Environ(), "BLAISE_DATA="+t.data, "BLAISE_URL=", "BLAISE_TOKEN=",
		"XDG_STATE_HOME="+filepath.Join(t.dir, "state")) // the agent's memory goes with the rest
	c.Dir = t.dir
	return c
}

// git is a command line of git in the trial's repository.
func (t *trial) git(args ...string) *exec.Cmd {
	c := exec.Command("git", args...)
	c.Dir = t.repo
	return c
}

// show prints a command line, runs it, and prints what it says as it comes.
func (t *trial) show(c *exec.Cmd) error {
	t.tell(c)
	out := &indented{w: os.Stdout}
	c.Stdout, c.Stderr = out, out
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(c.Args[0]), err)
	}
	return nil
}

func (t *trial) tell(c *exec.Cmd) {
	words := []string{filepath.Base(c.Args[0])}
	for _, a := range c.Args[1:] {
		if strings.ContainsAny(a, " {") {
			a = `"` + a + `"`
		}
		words = append(words, a)
	}
	fmt.Printf("   $ %s\n", strings.Join(words, " "))
}

// output runs a command line unseen.
func (t *trial) output(c *exec.Cmd) (string, error) {
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// A state is what the trial wants to know of a session.
type state struct {
	State       string
	Environment struct{ State, Meaning string }
	Saves       []struct{ Ref string }
}

func (t *trial) state() (state, error) {
	var s state
	out, err := t.output(t.blaise("session", "show", t.session, "--json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(out), &s)
}

func (t *trial) awaitEnvironment(want string) error {
	return await("the environment to be "+want, func() (bool, error) {
		s, err := t.state()
		return s.Environment.State == want, err
	})
}

// stop asks dev to end and waits for it.
func (t *trial) stop() error {
	if t.dev == nil {
		return nil
	}
	_ = t.dev.Process.Signal(os.Interrupt) // it may have ended
	select {
	case <-t.ended:
		return nil
	case <-time.After(30 * time.Second):
		return errors.Join(errors.New("blaise dev did not stop in 30 seconds"), t.dev.Process.Kill())
	}
}

// tellLog shows what may say why a step failed.
func (t *trial) tellLog() {
	for _, name := range []string{"dev.out", "data/blaise.log"} {
		b, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		fmt.Fprintf(os.Stderr, "\nthe end of %s:\n%s\n", filepath.Join(t.dir, name),
			strings.Join(lines[max(0, len(lines)-15):], "\n"))
	}
}

// background lets a command outlive us: signals to our terminal pass it by.
func background(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// indented puts what a program says under the line that started it.
type indented struct {
	w    io.Writer
	open bool
}

func (i *indented) Write(p []byte) (int, error) {
	for _, line := range bytes.SplitAfter(p, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if !i.open {
			if _, err := io.WriteString(i.w, "     "); err != nil {
				return 0, err
			}
		}
		if _, err := i.w.Write(line); err != nil {
			return 0, err
		}
		i.open = !bytes.HasSuffix(line, []byte("\n"))
	}
	return len(p), nil
}
