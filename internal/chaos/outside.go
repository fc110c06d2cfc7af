package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"blaise.dev/blaise"
)

// A process is one found in /proc.
type process struct {
	pid    int
	parent int
	args   string
	cwd    string
}

func (p process) signal(s syscall.Signal) error { return syscall.Kill(p.pid, s) }

func (p process) kill() { _ = p.signal(syscall.SIGKILL) } // gone already is as good

func (p process) String() string { return fmt.Sprintf("%d %.80s in %s", p.pid, p.args, p.cwd) }

// marked finds every process that the world has started, directly or not.
func (w *world) marked() []process {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []process
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(markName+"="+w.mark+"\x00")) {
			continue
		}
		dir := filepath.Dir(path)
		pid, _ := strconv.Atoi(filepath.Base(dir)) // the glob says that it is one
		args, _ := os.ReadFile(dir + "/cmdline")   // gone meanwhile: empty
		cwd, _ := os.Readlink(dir + "/cwd")
		if len(args) > 0 && pid != os.Getpid() {
			text := strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
			found = append(found, process{pid: pid, parent: parentOf(dir), args: text, cwd: cwd})
		}
	}
	return found
}

// parentOf reads it where proc(5) says; 0 for a process that is gone.
func parentOf(dir string) int {
	stat, _ := os.ReadFile(dir + "/stat")
	_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" ")) // a name may hold anything
	var state string
	var parent int
	_, _ = fmt.Sscan(string(after), &state, &parent)
	return parent
}

// machine finds all that a runner has running: its daemon, what was started from
// its state directory or works below it, and what these have started.
func (w *world) machine(i int) []process {
	all := w.marked()
	in := map[int]bool{w.runner[i].pid(): true}
	for n := 0; n != len(in); {
		n = len(in)
		for _, p := range all {
			if in[p.parent] || strings.Contains(p.args, w.state(i)+"/") || strings.HasPrefix(p.cwd, w.state(i)+"/") {
				in[p.pid] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(p process) bool { return !in[p.pid] })
}

// within finds the processes that work in an environment of the session.
func (w *world) within(id blaise.SessionID) []process {
	var found []process
	for _, p := range w.marked() {
		if name := filepath.Base(strings.TrimSuffix(p.cwd, " (deleted)")); id != "" && owner(name) == id {
			found = append(found, p)
		}
	}
	return found
}

// agents finds the agents of the session.
func (w *world) agents(id blaise.SessionID) []process {
	var found []process
	for _, p := range w.within(id) {
		if strings.HasSuffix(p.args, " demo-agent") && !strings.Contains(p.args, " shim ") {
			found = append(found, p)
		}
	}
	return found
}

// runProcess finds the process of the session's run by what the ledger of the
// runner says of its pid.
func (w *world) runProcess(id blaise.SessionID) (process, bool) {
	for i := range w.runner {
		rows, _ := filepath.Glob(filepath.Join(w.state(i), "runs", string(id)+".*", "row.json"))
		for _, path := range rows {
			var row struct{ PID int }
			raw, err := os.ReadFile(path)
			if err != nil || json.Unmarshal(raw, &row) != nil || row.PID == 0 {
				continue
			}
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", row.PID)) // gone: empty
			if bytes.Contains(environ, []byte(markName+"="+w.mark+"\x00")) {
				return process{pid: row.PID, args: "run"}, true
			}
		}
	}
	return process{}, false
}

// A prompt is one line of the witness file: a message that an agent was given.
type prompt struct {
	Message string
	PID     int
	Time    string
}

// posts reads the witness file as it grows. It is safe for concurrent use.
type posts struct {
	path string
	mu   sync.Mutex // guards what follows
	read int64
	seen []prompt
}

// with finds the prompts that have the mark in them.
func (p *posts) with(mark string) ([]prompt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := os.Open(p.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(p.read, 0); err != nil {
		return nil, err
	}
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break // no whole line more
		}
		p.read += int64(len(line))
		var one prompt
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("read the witness %q: %w", line, err)
		}
		p.seen = append(p.seen, one)
	}
	var found []prompt
	for _, one := range p.seen {
		if strings.Contains(one.Message, mark) {
			found = append(found, one)
		}
	}
	return found, nil
}

// below lists what is in a directory, by the path from it.
func below(dir string) map[string]bool {
	all := map[string]bool{}
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, path); err == nil && relErr == nil {
			all[rel] = true
		}
		return nil // what goes away meanwhile is not there
	})
	return all
}
