package daemon

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/run"
)

// leaveTime is how long a run that has had its last word may take to go by
// itself when the next one of its session is here.
const leaveTime = 500 * time.Millisecond

// before finds the runs of the same session that are in the ledger, older than
// r, and of which something lives.
func (s *state) before(r *row) []*row {
	var live []*row
	for _, name := range s.runsOf(r.Run.Session()) {
		old := &row{dir: filepath.Join(s.runs(), name)}
		if readJSON(old.file("row.json"), old) == nil && old.Run.Fence() < r.Run.Fence() && old.lives() {
			live = append(live, old)
		}
	}
	return live
}

// forget removes the row of a run, and what is empty with it: whichever row of a
// session goes last, the others left that to it.
func (s *state) forget(ctx context.Context, r *row) error {
	err := r.remove()
	s.clear(ctx, r.Run.Session())
	return err
}

// clear removes the directories of the session's environments that hold
// nothing, or what was to be made: a run that was fenced off while it began
// leaves them, and the run after it may be elsewhere. While another of its runs
// is here it does nothing.
func (s *state) clear(ctx context.Context, id blaise.SessionID) {
	s.births.Lock()
	defer s.births.Unlock()
	if len(s.runsOf(id)) > 0 {
		return
	}
	root := os.DirFS(filepath.Join(s.dir, environments))
	for _, generation := range []string{"", "-*"} {
		names, _ := fs.Glob(root, string(id)+generation) // the pattern is good
		for _, name := range names {
			plug.Tidy(ctx, s.dir, blaise.EnvironmentID(name))
		}
	}
}

// runsOf are the directories of a session's runs, by name.
func (s *state) runsOf(id blaise.SessionID) []string {
	names, _ := fs.Glob(os.DirFS(s.runs()), string(id)+".*") // the pattern is good
	return names
}

// lives says that the process of the run, or something that it started, is
// still there.
func (r *row) lives() bool {
	return r.locked() || held(r.file(run.TreeLock)) || len(r.shims()) > 0
}

// bearAfter starts the child of r when nothing of the runs before it lives any
// more. Blaise has given r the lease, so they have lost theirs: one that does
// not go is killed, and its shims end what it started. Their own fence may not
// have come to that yet, on a machine with much to do.
func (d *Daemon) bearAfter(ctx context.Context, r *row, old []*row) {
	waiting := *r
	d.add(&child{row: &waiting}) // it has its slot
	d.watches.Go(func() {
		for _, o := range old {
			if d.outlive(ctx, o) != nil {
				return // we leave; the next daemon says that it was not started
			}
		}
		d.raise(ctx, r)
	})
}

// outlive waits until nothing of old lives.
func (d *Daemon) outlive(ctx context.Context, old *row) error {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for began, killed := time.Now(), false; old.lives(); {
		if !killed && time.Since(began) > leaveTime {
			killed = true
			err := (&child{row: old}).signal(os.Kill)
			d.log.Warn("a run that has lost its lease was killed: the next one is here",
				"run", old.Run, "pid", old.PID, "error", err)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
