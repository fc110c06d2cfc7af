package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A bare is the least that must be done to have an agent work on a repository:
// a worktree, a process, a handshake, a prompt. Nothing is recorded or safe.
type bare struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	witness string
	id      int
	session string
}

// bareStart measures from nothing to the prompt in the agent's hands.
func bareStart(ctx context.Context, o options, repo, dir, mark string) (time.Duration, *bare, error) {
	began := time.Now()
	if err := git(repo, "worktree", "add", "-q", "--no-checkout", "--detach", dir); err != nil {
		return 0, nil, err
	}
	if err := git(dir, "reset", "-q", "--hard"); err != nil {
		return 0, nil, err
	}
	b, err := spawnBare(ctx, o, dir)
	if err != nil {
		return 0, nil, err
	}
	if err := b.open("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}}); err != nil {
		return 0, b, err
	}
	took, err := b.prompt(ctx, began, mark)
	return took, b, err
}

// bareResume measures a new process that loads a conversation and is prompted.
func bareResume(ctx context.Context, o options, dir, session, mark string) (time.Duration, *bare, error) {
	began := time.Now()
	b, err := spawnBare(ctx, o, dir)
	if err != nil {
		return 0, nil, err
	}
	b.session = session
	err = b.open("session/load", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}})
	if err != nil {
		return 0, b, err
	}
	took, err := b.prompt(ctx, began, mark)
	return took, b, err
}

func spawnBare(ctx context.Context, o options, dir string) (*bare, error) {
	b := &bare{witness: filepath.Join(o.tmp, "bare.witness")}
	b.cmd = exec.CommandContext(ctx, filepath.Join(o.bin, "blaise"), "demo-agent")
	b.cmd.Dir = dir
	b.cmd.Env = append(os.Environ(),
		"BLAISE_DEMO_WITNESS="+b.witness, "BLAISE_DEMO_HOME="+filepath.Join(o.tmp, "bare.home"))
	in, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open pipe: %w", err)
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open pipe: %w", err)
	}
	b.in, b.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start agent: %w", err)
	}
	return b, nil
}

func (b *bare) open(method string, params any) error {
	if _, err := b.call("initialize", map[string]any{
		"protocolVersion": 1, "clientCapabilities": map[string]any{},
	}); err != nil {
		return err
	}
	res, err := b.call(method, params)
	if err != nil {
		return err
	}
	var s struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(res, &s) // a load may answer null
	if s.SessionID != "" {
		b.session = s.SessionID
	}
	return nil
}

func (b *bare) prompt(ctx context.Context, began time.Time, mark string) (time.Duration, error) {
	_, err := b.call("session/prompt", map[string]any{
		"sessionId": b.session, "prompt": []any{map[string]any{"type": "text", "text": "echo " + mark}},
	})
	if err != nil {
		return 0, err
	}
	s, err := awaitPrompt(ctx, b.witness, mark)
	return s.Time.Sub(began), err
}

// call sends one request and reads to its answer.
func (b *bare) call(method string, params any) (json.RawMessage, error) {
	b.id++
	req, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": b.id, "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	if _, err := b.in.Write(append(req, '\n')); err != nil {
		return nil, fmt.Errorf("write %s: %w", method, err)
	}
	for {
		line, err := b.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("read answer to %s: %w", method, err)
		}
		var res struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &res) != nil || res.ID != b.id {
			continue
		}
		if res.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, res.Error)
		}
		return res.Result, nil
	}
}

func (b *bare) close() {
	if b == nil {
		return
	}
	b.in.Close()
	_ = b.cmd.Wait() // it was asked to end; how it did is no matter
}
