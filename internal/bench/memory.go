package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory measures what processes hold and what they do when there is nothing
// to do: the run of either program, the daemon, the control plane.
func memory(ctx context.Context, o options) ([]row, error) {
	repo := filepath.Join(o.tmp, "repo-memory")
	if err := newRepo(repo, 50); err != nil {
		return nil, err
	}
	dev, err := startDev(ctx, o, "memory-dev", repo)
	if err != nil {
		return nil, err
	}
	defer dev.close()
	rows, err := dev.runMemory(ctx, "run process of blaise")
	if err != nil {
		return nil, err
	}
	split, err := startSplit(ctx, o, "split", repo)
	if err != nil {
		return nil, err
	}
	defer split.close()
	more, err := split.runMemory(ctx, "run process of runner")
	if err != nil {
		return nil, err
	}
	idle, err := split.idle(o)
	return append(append(rows, more...), idle...), err
}

// runMemory measures the run of a session between two turns.
func (s *system) runMemory(ctx context.Context, name string) ([]row, error) {
	id, _, err := s.say(ctx, "", "memory-"+strings.ReplaceAll(name, " ", "-"))
	if err != nil {
		return nil, err
	}
	var most float64
	for _, pid := range pids() {
		args := cmdline(pid)
		if len(args) > 1 && args[len(args)-1] == "run" && strings.Contains(args[0], filepath.Dir(s.witness)) {
			most = max(most, rssAnon(pid))
		}
	}
	if most == 0 {
		return nil, fmt.Errorf("measure %s: no such process", name)
	}
	return []row{{name: name + ", RssAnon", got: most, limit: 25, unit: "MB"}}, s.End(ctx, id, "bench")
}

// idle watches the two programs while nothing happens.
func (s *system) idle(o options) ([]row, error) {
	serve, runner := s.procs[0].Process.Pid, s.procs[1].Process.Pid
	before := [2]time.Duration{cpu(serve), cpu(runner)}
	time.Sleep(o.idle)
	minutes := o.idle.Minutes()
	used := func(i, pid int) float64 {
		return float64((cpu(pid) - before[i]).Microseconds()) / 1000 / minutes
	}
	return []row{
		{name: "idle daemon, RssAnon", got: rssAnon(runner), limit: 30, unit: "MB"},
		{name: "idle control plane, CPU a minute", got: used(0, serve), limit: 50, unit: "ms"},
		{name: "idle daemon, CPU a minute", got: used(1, runner), limit: 50, unit: "ms"},
	}, nil
}

func pids() []int {
	entries, _ := os.ReadDir("/proc")
	var all []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

func cmdline(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// rssAnon is in MB: what the process holds that no file backs.
func rssAnon(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

// cpu is the time the threads of a process have run, by schedstat.
func cpu(pid int) time.Duration {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	var sum time.Duration
	for _, t := range tasks {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, t.Name()))
		if f := strings.Fields(string(b)); len(f) > 0 {
			ns, _ := strconv.ParseInt(f[0], 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}
