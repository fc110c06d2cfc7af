package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A system is Blaise as a user has it: the built programs, started.
type system struct {
	*api.Client
	dev     api.Dev
	witness string
	procs   []*exec.Cmd
}

// agentManifest makes sessions pause only when they are told to.
const agentManifest = `{"apiVersion":"blaise.dev/v1","kind":"Agent","metadata":{"name":"default"},
"spec":{"policy":{"idle":{"after":"24h"}}}}`

// startDev starts `blaise dev` on a repository.
func startDev(ctx context.Context, o options, name, repo string) (*system, error) {
	s := &system{witness: filepath.Join(o.tmp, name+".witness")}
	data := filepath.Join(o.tmp, name)
	if err := s.config(o, name, filepath.Join(repo, "blaise.yml"), repo); err != nil {
		return nil, err
	}
	err := s.start(o, name, "blaise", "dev", "--data", data, "--repo", repo, "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return s, s.connect(ctx, filepath.Join(data, "dev.json"))
}

// config writes a blaise.yml with the demo agent and a worktree of repo.
func (s *system) config(o options, name, path, repo string) error {
	yml := fmt.Sprintf("version: 1\nagent:\n  command: [%q, demo-agent]\n"+
		"  env: {BLAISE_DEMO_WITNESS: %q, BLAISE_DEMO_HOME: %q}\nplugs:\n  - {use: worktree, repo: %q}\n",
		filepath.Join(o.bin, "blaise"), s.witness, filepath.Join(o.tmp, name+".home"), repo)
	if err := os.WriteFile(path, []byte(yml), 0o600); err != nil {
		return fmt.Errorf("write blaise.yml: %w", err)
	}
	return nil
}

func (s *system) start(o options, name, program string, args ...string) error {
	log, err := os.Create(filepath.Join(o.tmp, name+"."+program+".log"))
	if err != nil {
		return fmt.Errorf("create log: %w", err)
	}
	defer log.Close() // the child has its own
	cmd := exec.Command(filepath.Join(o.bin, program), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	s.procs = append(s.procs, cmd)
	return nil
}

func (s *system) connect(ctx context.Context, file string) error {
	for range 600 {
		b, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(b, &s.dev) == nil && s.dev.URL != "" {
			s.Client = api.NewClient(s.dev.URL, s.dev.Token, api.ClientOptions{Version: "bench"})
			_, err := s.ApplyAgent(ctx, []byte(agentManifest), false)
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("start blaise: %s was not written", file)
}

// close ends the programs as a user does, the last started first.
func (s *system) close() {
	for i := len(s.procs) - 1; i >= 0; i-- {
		_ = s.procs[i].Process.Signal(syscall.SIGINT)
		_ = s.procs[i].Wait() // it was asked to end; how it did is no matter
	}
}

// say sends a message and answers how long it took, from accepted by Blaise to
// received by the agent.
func (s *system) say(ctx context.Context, id blaise.SessionID, mark string) (blaise.SessionID, time.Duration, error) {
	began := time.Now()
	var p api.Posted
	var err error
	if id == "" {
		p, err = s.StartSession(ctx, api.StartSession{Agent: "default", Text: "echo " + mark})
	} else {
		p, err = s.PostMessage(ctx, id, api.PostMessage{Text: "echo " + mark})
	}
	if err != nil {
		return "", 0, err
	}
	got, err := awaitPrompt(ctx, s.witness, mark)
	if err != nil {
		return p.Session, 0, err
	}
	return p.Session, got.Time.Sub(began), s.await(ctx, p.Session, blaise.SessionIdle)
}

func (s *system) await(ctx context.Context, id blaise.SessionID, want blaise.SessionState) error {
	var last blaise.SessionState
	for range 3000 {
		v, err := s.Session(ctx, id)
		if err != nil {
			return err
		}
		if last = v.State; last == want {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("await session %s %s: it is %s", id, want, last)
}

func (s *system) destroyed(ctx context.Context, id blaise.SessionID) error {
	for range 3000 {
		v, err := s.Session(ctx, id)
		if err != nil {
			return err
		}
		if v.Environment.State == blaise.EnvDestroyed {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("await the end of session %s: its environment is still there", id)
}
