package daemon

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/run"
)

// enforce kills a child that outlives its fence (X2): it hangs, for a run that
// works ends itself before. It returns at the end of ctx.
func (d *Daemon) enforce(ctx context.Context, c *child) {
	l := c.row.Spec.Lease
	if l.Beat <= 0 || c.row.Born == 0 {
		return // of a version that does not write its beats down
	}
	p := blaise.Policy{Beat: l.Beat, Misses: l.Misses}
	// After a sleep of the machine the run first asks Blaise. So it is given
	// time, short of when Blaise declares it lost, on the clock of time.Since,
	// which does not count sleep.
	grace := max((p.LostAfter()-p.KillAfter())/2, l.Beat)
	look := time.NewTicker(max(l.Beat/4, 10*time.Millisecond))
	defer look.Stop()
	var over time.Time // since when it was seen to be past its fence
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		switch {
		case plug.Boottime()-c.row.beaten() < p.KillAfter():
			over = time.Time{}
		case over.IsZero():
			over = time.Now()
		case time.Since(over) >= grace:
			d.fence(c)
		}
	}
}

func (d *Daemon) fence(c *child) {
	if !c.fenced.Swap(true) {
		d.log.Warn("a run hangs past its fence and is killed", "run", c.row.Run, "pid", c.row.PID)
	}
	_ = c.signal(syscall.SIGKILL) // gone already is as good
}

// beaten is when the last beat that Blaise acknowledged was sent, on the clock
// of Boottime; before the first one, when the child was started.
func (r *row) beaten() time.Duration {
	b, err := os.ReadFile(r.file(run.BeatFile))
	if err != nil {
		return r.Born
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return r.Born
	}
	return max(r.Born, time.Duration(n))
}

// The steps of a proof of death. Shims end their trees when the run is gone,
// unless their own agent has stopped them: those are woken, then killed.
const (
	wakeAfter = 2 * time.Second
	hardAfter = 5 * time.Second
	tellAfter = 30 * time.Second
	markLimit = time.Second
)

// untilProved waits until nothing that the run started lives: first its shims
// with their trees, then all that carries its mark. What it started last may be
// on no list yet, but has the lock.
func (d *Daemon) untilProved(ctx context.Context, r *row) error {
	look := time.NewTicker(lookEvery / 4)
	defer look.Stop()
	for since, told := time.Now(), false; ; {
		live, waited := r.shims(), time.Since(since)
		for _, s := range live {
			switch {
			case waited > hardAfter:
				s.Kill()
			case waited > wakeAfter:
				s.Wake()
			}
		}
		if (len(live) == 0 || waited > hardAfter) && r.killMarked() == 0 && !r.lives() {
			return nil
		}
		if !told && waited > tellAfter {
			told = true
			d.log.Warn("a run is dead and what it started is not", "run", r.Run, "shims", live)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// killMarked ends what has lost its shim, and answers how many live on.
func (r *row) killMarked() int {
	if r.Spec == nil || r.Boot != bootID() {
		return 0
	}
	return plug.KillMarked(r.Spec.Mark(), markLimit)
}
