package demoagent

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// showOutput is how much of a command's output is shown, its tail.
const showOutput = 8 << 10

func write(ctx context.Context, t *turn, rest string) error {
	return t.edit(ctx, rest, os.O_TRUNC, "")
}

func appendTo(ctx context.Context, t *turn, rest string) error {
	return t.edit(ctx, rest, os.O_APPEND, "\n")
}

// edit writes a file, if it may. The root keeps it inside the working
// directory, links included.
func (t *turn) edit(ctx context.Context, rest string, how int, suffix string) error {
	name, text, _ := strings.Cut(rest, " ")
	if name == "" {
		return errUsage
	}
	input := map[string]any{"path": name, "text": text}
	id := t.tool("edit", "Write "+name, input)
	ok, err := t.allowed(ctx, id, "edit", "Write "+name, input)
	if err != nil {
		return err
	}
	if !ok {
		t.sayf("I may not write %s.", name)
		return nil
	}
	if err := t.put(name, text+suffix, how); err != nil {
		t.change(id, "failed", toolText(err.Error()))
		t.sayf("I cannot write %s: %v", name, err)
		return nil
	}
	t.change(id, "completed", map[string]any{"content": []any{
		map[string]any{"type": "diff", "path": name, "newText": text + suffix},
	}})
	t.sayf("I wrote %s.", name)
	return nil
}

func (t *turn) put(name, text string, how int) error {
	root, err := os.OpenRoot(t.s.cwd)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|how, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func read(_ context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	id := t.tool("read", "Read "+rest, map[string]any{"path": rest})
	root, err := os.OpenRoot(t.s.cwd)
	if err == nil {
		defer root.Close()
		var data []byte
		if data, err = root.ReadFile(rest); err == nil {
			t.change(id, "completed", nil)
			t.say(string(data))
			return nil
		}
	}
	t.change(id, "failed", toolText(err.Error()))
	t.sayf("I cannot read %s: %v", rest, err)
	return nil
}

func runCommand(ctx context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	input := map[string]any{"command": rest}
	id := t.tool("execute", "Run "+rest, input)
	ok, err := t.allowed(ctx, id, "execute", "Run "+rest, input)
	if err != nil {
		return err
	}
	if !ok {
		t.say("I may not run that.")
		return nil
	}
	out := &stream{t: t, id: id}
	err = t.shell(ctx, rest, out)
	status, result := "completed", "exit status 0"
	if err != nil {
		status, result = "failed", err.Error()
	}
	t.change(id, status, toolText(out.tail))
	t.sayf("%s\n%s", result, fenced(out.tail))
	return nil
}

// fenced is the output of a program as a block of Markdown: a diff is no list.
func fenced(output string) string {
	if strings.TrimSpace(output) == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(output, "\n") + "\n" + fence
}

// shell runs a command in a process group of its own, which a cancel kills.
func (t *turn) shell(ctx context.Context, line string, out *stream) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = t.s.cwd
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a child in another group may hold the pipe
	return cmd.Run()
}

// stream shows output while it comes. exec writes to it from one goroutine.
type stream struct {
	t    *turn
	id   string
	tail string
}

// Write sends a change to the tool call; it never fails.
func (s *stream) Write(p []byte) (int, error) {
	s.tail += string(p)
	s.tail = s.tail[max(0, len(s.tail)-showOutput):]
	s.t.change(s.id, "in_progress", toolText(s.tail))
	return len(p), nil
}

// spawn leaves a process behind that only a hunt for the whole tree finds.
func spawn(_ context.Context, t *turn, _ string) error {
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("spawn: %w", err)
	}
	t.sayf("spawned pid %d", cmd.Process.Pid)
	t.a.reap(cmd)
	return nil
}

// reap waits for a child that nobody else waits for, so that it is no zombie
// when it is killed. It ends with the child, or with this process.
func (a *agent) reap(cmd *exec.Cmd) {
	go func() { _ = cmd.Wait() }()
}
