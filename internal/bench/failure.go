package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"
)

const (
	adopted   = 4 // live runs that a new daemon finds
	stopGrace = time.Second
)

// failureManifest has a grace that can be waited for.
const failureManifest = `{"apiVersion":"blaise.dev/v1","kind":"Agent","metadata":{"name":"default"},
"spec":{"policy":{"idle":{"after":"24h"}},"limits":{"stopGrace":"1s"}}}`

// A patient is a system whose parts are killed, and how long it takes to recover.
type patient struct {
	*system
	o                                options
	state                            string
	adopts, replaces, polite, defied []time.Duration
}

// failure measures how fast what was killed is replaced, and what was stopped is
// gone.
func failure(ctx context.Context, o options) ([]row, error) {
	repo := filepath.Join(o.tmp, "repo-failure")
	if err := newRepo(repo, 50); err != nil {
		return nil, err
	}
	s, err := startSplit(ctx, o, "failure", repo)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if _, err := s.ApplyAgent(ctx, []byte(failureManifest), false); err != nil {
		return nil, err
	}
	p := &patient{system: s, o: o, state: filepath.Join(o.tmp, "failure-runner")}
	for _, suffer := range []func(context.Context) error{p.adoption, p.replacement, p.stops} {
		if err := suffer(ctx); err != nil {
			return nil, err
		}
	}
	ms := func(name string, got []time.Duration, limit float64) row {
		return row{name: name, got: quantile(got, 1), limit: limit, unit: "ms"}
	}
	grace := float64(stopGrace.Milliseconds())
	return []row{
		ms(fmt.Sprintf("exec of a new daemon to %d live runs adopted, slowest", adopted), p.adopts, 1000),
		ms("run process killed to its replacement answering, slowest", p.replaces, 3000),
		ms("stop to the agent's processes gone, slowest", p.polite, 100),
		ms("the same, an agent that ignores TERM, grace 1 s, slowest", p.defied, grace+100),
	}, nil
}

// adoption kills the daemon under live runs, and starts another.
func (p *patient) adoption(ctx context.Context) error {
	var ids []blaise.SessionID
	for i := range adopted {
		id, _, err := p.say(ctx, "", fmt.Sprintf("adopt-%d", i))
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for range 5 {
		last := len(p.procs) - 1
		_ = p.procs[last].Process.Kill()
		_ = p.procs[last].Wait() // killed
		p.procs = p.procs[:last]
		began := time.Now()
		if err := p.startRunner(p.o, "failure"); err != nil {
			return err
		}
		err := until("runs adopted", func() bool {
			runs, err := daemon.Runs(ctx, p.state)
			return err == nil && len(runs) == adopted
		})
		if err != nil {
			return err
		}
		p.adopts = append(p.adopts, time.Since(began))
	}
	for _, id := range ids {
		if err := p.End(ctx, id, "bench"); err != nil {
			return err
		}
		if err := p.destroyed(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// replacement kills the process of a run; a message finds the next one.
func (p *patient) replacement(ctx context.Context) error {
	id, _, err := p.say(ctx, "", "replace")
	if err != nil {
		return err
	}
	for i := range 5 {
		runs, err := daemon.Runs(ctx, p.state)
		if err != nil || len(runs) != 1 {
			return fmt.Errorf("find the run: %d of them, %w", len(runs), err)
		}
		began := time.Now()
		if err := syscall.Kill(runs[0].PID, syscall.SIGKILL); err != nil {
			return fmt.Errorf("kill run: %w", err)
		}
		m, err := p.PostMessage(ctx, id, api.PostMessage{Text: fmt.Sprintf("echo replaced-%d", i)})
		if err != nil {
			return err
		}
		if err := p.answered(ctx, id, m.Message); err != nil {
			return err
		}
		p.replaces = append(p.replaces, time.Since(began))
	}
	return p.End(ctx, id, "bench")
}

func (s *system) answered(ctx context.Context, id blaise.SessionID, m blaise.MessageID) error {
	return until("message "+string(m)+" answered", func() bool {
		v, err := s.Session(ctx, id)
		if err != nil {
			return false
		}
		for _, x := range v.Messages {
			if x.ID == m {
				return x.State == blaise.MessageAnswered
			}
		}
		return false
	})
}

// stops pauses sessions, with an agent that goes when it is told and with one
// that does not.
func (p *patient) stops(ctx context.Context) error {
	for i := range 10 {
		mark := fmt.Sprintf("stop-%d", i)
		id, _, err := p.say(ctx, "", mark)
		if err != nil {
			return err
		}
		defies := i%2 == 1
		if defies {
			m, err := p.PostMessage(ctx, id, api.PostMessage{Text: "ignore-term"})
			if err != nil {
				return err
			}
			if err := p.answered(ctx, id, m.Message); err != nil {
				return err
			}
		}
		agent, _ := findPrompt(p.witness, mark)
		tree := []int{agent.PID, parent(agent.PID)}
		began := time.Now()
		if err := p.Pause(ctx, id, "bench"); err != nil {
			return err
		}
		err = until("agent gone", func() bool { return !alive(tree[0]) && !alive(tree[1]) })
		if err != nil {
			return err
		}
		took := time.Since(began)
		if defies {
			p.defied = append(p.defied, took)
		} else {
			p.polite = append(p.polite, took)
		}
		if err := p.await(ctx, id, blaise.SessionPaused); err != nil {
			return err
		}
	}
	return nil
}

func until(what string, done func() bool) error {
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%s: not within 30 s", what)
		}
	}
	return nil
}

// stat are the fields of /proc/PID/stat after the name: state, parent, ...
func stat(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.Fields(rest)
}

func parent(pid int) int {
	if f := stat(pid); len(f) > 1 {
		n, _ := strconv.Atoi(f[1])
		return n
	}
	return 0
}

func alive(pid int) bool {
	f := stat(pid)
	return len(f) > 0 && f[0] != "Z"
}
