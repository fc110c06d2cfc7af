package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// flooded is how many updates of 10 KB make 1 GB.
const flooded = 100_000

// flood sends 1 GB of updates through a run and watches what the run holds.
func flood(ctx context.Context, o options) ([]row, error) {
	repo := filepath.Join(o.tmp, "repo-flood")
	if err := newRepo(repo, 20); err != nil {
		return nil, err
	}
	dev, err := startDev(ctx, o, "flood", repo)
	if err != nil {
		return nil, err
	}
	defer dev.close()
	p, err := dev.StartSession(ctx, api.StartSession{Agent: "default", Text: fmt.Sprintf("flood %d", flooded)})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	most, err := dev.watchFlood(ctx, p.Session)
	if err != nil {
		return nil, err
	}
	rate := flooded * 10.0 / 1024 / time.Since(began).Seconds()
	return []row{
		{name: "run with 1 GB of updates through it, most resident", got: most, limit: 40, unit: "MB"},
		{name: "updates of 10 KB through a run, shipped and kept", got: rate, limit: 1, unit: "MB/s", least: true},
	}, dev.End(ctx, p.Session, "bench")
}

// watchFlood waits for the end of the turn; most is the peak of the run's RSS,
// as the kernel keeps it.
func (s *system) watchFlood(ctx context.Context, id blaise.SessionID) (most float64, err error) {
	for range 6000 {
		for _, pid := range pids() {
			args := cmdline(pid)
			if len(args) > 1 && args[len(args)-1] == "run" && strings.Contains(args[0], filepath.Dir(s.witness)) {
				most = max(most, statusMB(pid, "VmHWM:"))
			}
		}
		v, err := s.Session(ctx, id)
		if err != nil {
			return 0, err
		}
		if v.State == blaise.SessionIdle {
			return most, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return most, fmt.Errorf("session %s is not done with the flood", id)
}

// statusMB is a field of /proc/PID/status, in MB.
func statusMB(pid int, key string) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	return 0
}
