package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"blaise.dev/blaise/plug"
)

// maxTerminals is how many terminals an agent may hold at once.
const maxTerminals = 64

// terminals are the commands that one process of the agent runs through the
// run, in the innermost place. They end with that process.
type terminals struct {
	c         *conversation
	following sync.WaitGroup

	mu    sync.Mutex // guards what follows
	n     int
	open  map[string]*terminal
	ended bool
}

func newTerminals(c *conversation) *terminals {
	return &terminals{c: c, open: map[string]*terminal{}}
}

type terminalParams struct {
	ID      string   `json:"terminalId"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	CWD     string   `json:"cwd"`
	Env     []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Limit *int `json:"outputByteLimit"`
}

// serve does one of the five terminal methods.
func (t *terminals) serve(ctx context.Context, verb string, params json.RawMessage) (any, error) {
	var p terminalParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid("terminal/%s: %v", verb, err)
	}
	if verb == "create" {
		return t.create(ctx, p)
	}
	one := t.find(p.ID)
	if one == nil {
		return nil, invalid("terminal %q is not open", p.ID)
	}
	switch verb {
	case "output":
		return one.output(), nil
	case "wait_for_exit":
		return one.wait(ctx)
	case "kill":
		return struct{}{}, one.proc.Kill()
	case "release":
		t.forget(p.ID)
		return struct{}{}, one.proc.Kill()
	}
	return nil, invalid("terminal/%s is not known", verb)
}

// find gives a terminal that has begun.
func (t *terminals) find(id string) *terminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.open[id]
	if one == nil || one.proc == nil {
		return nil
	}
	return one
}

func (t *terminals) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
}

func (t *terminals) create(ctx context.Context, p terminalParams) (any, error) {
	cmd, err := t.command(p)
	if err != nil {
		return nil, err
	}
	one, err := t.add(p)
	if err != nil {
		return nil, err
	}
	one.begin(cmd.Args)
	cmd.Stdout, cmd.Stderr = one, one
	proc, err := t.c.r.stack.Env().Start(ctx, cmd)
	if err != nil {
		t.forget(one.id)
		one.say("not started: " + err.Error() + "\n")
		return nil, invalid("start %q: %v", p.Command, err)
	}
	t.mu.Lock()
	one.proc = proc
	ended := t.ended
	t.mu.Unlock()
	t.following.Go(func() { one.follow(proc) })
	if ended {
		_ = proc.Kill() // the agent that asked for it is gone
	}
	return map[string]string{"terminalId": one.id}, nil
}

func (t *terminals) add(p terminalParams) (*terminal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended || len(t.open) >= maxTerminals {
		return nil, invalid("%d terminals are open: release some", len(t.open))
	}
	t.n++
	id := fmt.Sprintf("%s/%d.%d", t.c.r.lease.Run, t.c.starts, t.n)
	one := newTerminal(id, p.Limit, t.c.r.record.tell)
	t.open[id] = one
	return one, nil
}

// command is what is run. Agents give a program with its arguments, or a line
// for a shell.
func (t *terminals) command(p terminalParams) (plug.Cmd, error) {
	dir := t.c.r.stack.Env().Place().Dir
	c := plug.Cmd{Args: append([]string{p.Command}, p.Args...), Dir: p.CWD, Env: t.c.r.plainEnv}
	if p.Command == "" {
		return c, invalid("terminal/create: no command")
	}
	if len(p.Args) == 0 && strings.ContainsAny(p.Command, " \t\n|&;<>()$`'\"*?") {
		c.Args = []string{"sh", "-c", p.Command}
	}
	if p.CWD != "" && !filepath.IsAbs(p.CWD) {
		return c, invalid("terminal/create: cwd %q is not absolute", p.CWD)
	}
	if rel, err := filepath.Rel(dir, cmp.Or(p.CWD, dir)); err != nil || !filepath.IsLocal(rel) {
		return c, invalid("terminal/create: cwd %q is %v", p.CWD, plug.ErrOutside)
	}
	for _, v := range p.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return c, invalid("terminal/create: %q is no name of a variable", v.Name)
		}
		c.Env = append(c.Env[:len(c.Env):len(c.Env)], v.Name+"="+v.Value)
	}
	return c, nil
}

// end kills all there are, and lets none begin.
func (t *terminals) end() {
	t.mu.Lock()
	t.ended = true
	var running []plug.Process
	for _, one := range t.open {
		if one.proc != nil { // else create sees that it is over
			running = append(running, one.proc)
		}
	}
	t.mu.Unlock()
	for _, proc := range running {
		_ = proc.Kill() // its tree is under the fence in any case
	}
	t.following.Wait()
}
