package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	firstText = "write hello.txt Hello from the demo agent"
	manifest  = `apiVersion: blaise.dev/v1
kind: Agent
metadata: {name: try}
spec: {gate: [{then: ask}], policy: {idle: {after: 2s}}}
`
)

func (t *trial) makeRepo() error {
	files := map[string]string{
		"README.md":    "# A small project\n",
		"src/main.txt": "one\ntwo\n",
		".gitignore":   "*.log\n",
	}
	for name, text := range files {
		path := filepath.Join(t.repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=You", "-c", "user.email=you@localhost", "commit", "-q", "-m", "First"},
	} {
		if _, err := t.output(t.git(args...)); err != nil {
			return err
		}
	}
	return t.show(t.git("log", "--oneline", "--stat"))
}

func (t *trial) startBlaise() error {
	out, err := os.Create(filepath.Join(t.dir, "dev.out"))
	if err != nil {
		return err
	}
	defer out.Close() // the program has its own copy
	t.dev = t.blaise("dev", "--data", t.data, "--repo", t.repo, "--listen", "127.0.0.1:0")
	t.dev.Stdout, t.dev.Stderr = out, out
	background(t.dev)
	t.tell(t.dev)
	if err := t.dev.Start(); err != nil {
		t.dev = nil
		return err
	}
	go func() {
		_ = t.dev.Wait() // how it ended is seen by what it did
		close(t.ended)
	}()
	err = await("Blaise to be ready", func() (bool, error) {
		select {
		case <-t.ended:
			return false, errors.New("blaise dev has ended")
		default:
		}
		_, err := os.Stat(filepath.Join(t.data, "dev.json"))
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	file := filepath.Join(t.dir, "try.yml")
	if err := os.WriteFile(file, []byte(manifest), 0o644); err != nil {
		return err
	}
	return t.show(t.blaise("apply", "-f", file))
}

func (t *trial) firstMessage() error {
	asked := make(chan error, 1)
	go func() { asked <- t.approve() }()
	err := t.show(t.blaise("start", "--agent", "try", "--patient", firstText))
	return errors.Join(err, <-asked)
}

// approve answers the agent's question as soon as there is one.
func (t *trial) approve() error {
	err := await("the agent to ask", func() (bool, error) {
		out, err := t.output(t.blaise("list", "--state", "parked", "--json"))
		if err != nil {
			return false, err
		}
		var l struct{ Sessions []struct{ ID string } }
		if err := json.Unmarshal([]byte(out), &l); err != nil || len(l.Sessions) == 0 {
			return false, err
		}
		t.session = l.Sessions[0].ID
		return true, nil
	})
	if err != nil {
		return err
	}
	t.processes = agents(t.data)
	return t.show(t.blaise("approve", t.session))
}

func (t *trial) lookAtWork() error {
	out, err := t.output(t.git("worktree", "list", "--porcelain"))
	if err != nil {
		return err
	}
	for block := range strings.SplitSeq(out, "\n\n") {
		if strings.Contains(block, "refs/heads/blaise/"+t.session) {
			t.worktree, _, _ = strings.Cut(strings.TrimPrefix(block, "worktree "), "\n")
		}
	}
	if t.worktree == "" {
		return fmt.Errorf("no worktree of branch blaise/%s:\n%s", t.session, out)
	}
	if err := t.show(t.git("-C", t.worktree, "status", "--short", "--branch")); err != nil {
		return err
	}
	if err := t.show(t.git("--no-pager", "-C", t.worktree, "diff", "--no-index", "/dev/null", "hello.txt")); err == nil {
		return errors.New("hello.txt is empty") // git exits 1 where there is a difference
	}
	if _, err := os.Stat(filepath.Join(t.repo, "hello.txt")); err == nil {
		return errors.New("hello.txt is in the checked-out tree as well")
	}
	return nil
}

func (t *trial) awaitPause() error {
	if len(t.processes) == 0 {
		return errors.New("no process of the agent was seen")
	}
	fmt.Printf("   the agent's process was %s\n", strings.Join(t.processes, ", "))
	if err := t.awaitEnvironment("paused"); err != nil {
		return err
	}
	if err := t.agentGone(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(t.worktree, "hello.txt")); err != nil {
		return err
	}
	fmt.Printf("   now it is gone; the worktree is still there: %s\n", t.worktree)
	return t.show(t.blaise("why", t.session))
}

func (t *trial) agentGone() error {
	return await("the agent's process to end", func() (bool, error) { return len(agents(t.data)) == 0, nil })
}

func (t *trial) secondMessage() error {
	var said strings.Builder
	c := t.blaise("say", t.session, "--wait", "recall")
	t.tell(c)
	out := &indented{w: os.Stdout}
	c.Stdout, c.Stderr = io.MultiWriter(&said, out), out
	err := c.Run()
	if err == nil && !strings.Contains(said.String(), firstText) {
		err = errors.New("the agent does not remember the first message")
	}
	return err
}

func (t *trial) end() error {
	if err := t.show(t.blaise("end", t.session)); err != nil {
		return err
	}
	if err := errors.Join(t.awaitEnvironment("destroyed"), t.agentGone()); err != nil {
		return err
	}
	if _, err := os.Stat(t.worktree); err == nil {
		return fmt.Errorf("the worktree %s is still there", t.worktree)
	}
	fmt.Println("   no process of the agent, no worktree:")
	if err := t.show(t.git("worktree", "list")); err != nil {
		return err
	}
	s, err := t.state()
	if err != nil {
		return err
	}
	if len(s.Saves) == 0 {
		return errors.New("nothing was saved")
	}
	t.ref = s.Saves[len(s.Saves)-1].Ref
	return t.show(t.git("for-each-ref", "refs/blaise"))
}

func (t *trial) restore() error {
	if err := t.show(t.blaise("restore", t.session)); err != nil {
		return err
	}
	return t.show(t.git("--no-pager", "show", "--stat", "--oneline", "blaise/"+t.session+"-restored"))
}
