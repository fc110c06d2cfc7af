package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/run"
	"blaise.dev/blaise/transcript"
)

// adopt takes over what the daemon before left (X3): runs that live, runs that
// died meanwhile, runs that were never accepted.
func (d *Daemon) adopt(ctx context.Context) error {
	rows, err := d.state.rows()
	if err != nil {
		return err
	}
	d.state.sweep(rows, d.program)
	for _, r := range rows {
		switch {
		case r.Spec == nil:
			d.unborn = append(d.unborn, r)
		case r.locked():
			d.tally.adopted.Add(1)
			d.log.Info("run adopted", "run", r.Run, "pid", r.PID)
			c := &child{row: r}
			d.add(c)
			d.watches.Go(func() { d.watch(ctx, c) })
		default:
			d.bury(ctx, r, "its process was gone when the runner started")
		}
	}
	return nil
}

// watch follows a child to its end.
func (d *Daemon) watch(ctx context.Context, c *child) {
	watching, stop := context.WithCancel(ctx)
	d.watches.Go(func() { d.enforce(watching, c) })
	how, err := c.gone(ctx)
	stop()
	if c.fenced.Load() {
		how = "it hung, and was killed at its fence"
		d.tally.fenced.Add(1)
	}
	if err == nil {
		err = d.untilProved(ctx, c.row)
	}
	if err != nil {
		return // we leave; the next daemon adopts it
	}
	d.log.Info("run ended", "run", c.row.Run, "how", how)
	d.remove(c)
	d.settle(ctx, c.row, how)
}

// bury says what is left to say of a run that has no child here.
func (d *Daemon) bury(ctx context.Context, r *row, how string) {
	c := &child{row: r}
	d.remove(c)
	d.watches.Go(func() {
		if d.untilProved(ctx, r) == nil {
			d.settle(ctx, r, how)
		}
	})
}

// settle ships what the run left, says that it is dead unless it had its own
// last word, and forgets it. If we leave before, the next daemon does it.
func (d *Daemon) settle(ctx context.Context, r *row, how string) {
	err := d.shipRest(ctx, r)
	if blaise.CodeOf(err) == blaise.CodeStale {
		d.log.Warn("what a run left is dropped: it was declared lost before", "run", r.Run, "error", err)
		err = nil
	}
	if ctx.Err() == nil && !r.done() {
		err = errors.Join(err, d.sayEnd(ctx, r, how))
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		d.log.Error("what is left of a run was not taken", "run", r.Run, "error", err)
	}
	outcome := r.outcome(how)
	d.tally.ended.Add(1)
	if outcome != nil {
		d.tally.failed.Add(1)
	}
	d.learn(r)
	if err := d.state.forget(ctx, r); err != nil {
		d.log.Error("run directory not removed", "run", r.Run, "error", err)
	}
	d.buried(outcome)
}

// learn takes from a run's end whether this machine is fit, and tells who
// started the daemon for this run alone where the work is.
func (d *Daemon) learn(r *row) {
	var done run.Done
	if readJSON(r.file(run.DoneFile), &done) != nil {
		return
	}
	switch {
	case done.Error == "":
		d.breaker.worked()
	case done.Begun:
	case time.Since(r.At) < instantly:
		d.breaker.failed(r.Spec.Config, done.Error, time.Now())
	}
	for _, w := range done.Saved {
		d.log.Info("work saved", "run", r.Run, "ref", w.Ref, "repo", w.Repo, "commit", w.Commit)
	}
}

// outcome is how the run went, for a daemon that was started for it alone.
func (r *row) outcome(how string) error {
	var done run.Done
	if err := readJSON(r.file(run.DoneFile), &done); err != nil {
		return blaise.Errorf(blaise.CodeInternal, "run %s: %s", r.Run, how)
	}
	if done.Error != "" {
		return blaise.Errorf(blaise.CodeInternal, "run %s: %s", r.Run, done.Error)
	}
	return nil
}

// shipRest ships the spool of a dead run under its own lease, for as long as
// that takes.
func (d *Daemon) shipRest(ctx context.Context, r *row) error {
	if !r.worked() {
		return nil
	}
	spool, err := transcript.OpenSpool(r.file("spool"), transcript.SpoolOptions{Log: d.log.With("run", r.Run)})
	if err != nil {
		return err
	}
	defer spool.Close()
	client := api.NewClient(r.Spec.URL, r.Spec.Lease.Token, api.ClientOptions{Version: d.c.Version})
	if err := d.shipWholes(ctx, client, spool); err != nil {
		d.log.Warn("long events are kept in part only", "run", r.Run, "error", err)
	}
	if spool.Empty() {
		return nil
	}
	ship := transcript.NewShipper(spool, client, transcript.ShipperOptions{Log: d.log.With("run", r.Run)})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shipped := make(chan error, 1)
	go func() { shipped <- ship.Run(ctx) }()
	err = ship.Drain(ctx)
	cancel()
	<-shipped
	return err
}

// sayEnd tells Blaise of the end of a run that could not.
func (d *Daemon) sayEnd(ctx context.Context, r *row, how string) error {
	if r.Spec == nil {
		return nil // it was never ours
	}
	select {
	case <-d.greeted:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	end := api.RunEnd{Instance: d.state.instance, Boot: d.state.boot, Reason: how}
	if last := r.lastLines(5); last != "" {
		end.Reason = fmt.Sprintf("%s; it said last:\n%s", how, last)
	}
	say := d.blaise().Dead
	if !r.worked() {
		say = d.blaise().SpawnFailed
	}
	err := persist(ctx, 0, func() error { return say(ctx, r.Run, end) })
	if blaise.CodeOf(err) == blaise.CodeNotFound {
		d.log.Info("Blaise knows nothing of a run that is over", "run", r.Run)
		return nil
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("say that the run is dead: %w", err)
	}
	return err
}

// spec is what the child of r is told.
func (d *Daemon) spec(r *row, lease api.Lease) *run.Spec {
	return &run.Spec{
		URL: d.c.URL, Lease: lease,
		Config: d.c.ConfigFor(lease.Agent),
		State:  d.state.dir, Dir: r.dir, Program: d.program,
		Instance: d.state.instance, Machine: d.state.machine, Boot: d.state.boot,
		Runner: d.name(), Version: d.c.Version, LogFormat: d.c.LogFormat, LogLevel: d.c.LogLevel,
	}
}

// shipWholes ships the events that were too long for the spool; what Blaise
// refuses is lost but for its head and tail.
func (d *Daemon) shipWholes(ctx context.Context, c *api.Client, spool *transcript.Spool) error {
	var err error
	away := persist(ctx, 0, func() error {
		if err = c.PutWholes(ctx, spool); blaise.CodeOf(err) == blaise.CodeUnreachable {
			return err
		}
		return nil
	})
	if away != nil {
		return away
	}
	return err
}
