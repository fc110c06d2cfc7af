package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/trace"
)

// take says hello and takes runs until ctx ends, with its cause, or Blaise
// refuses the runner. While Blaise is away it tries on, and says so once.
// What it starts lasts as long as life, the daemon's.
func (d *Daemon) take(ctx, life context.Context) error {
	link := &link{d: d}
	if err := link.try(ctx, d.greet); err != nil {
		return err
	}
	for _, r := range d.unborn {
		d.bear(life, r)
	}
	d.unborn = nil
	began := time.Now()
	for {
		if err := d.idle(time.Since(began)); err != nil {
			return err
		}
		if err := d.admit(ctx, link); err != nil {
			return err
		}
		free, changed := d.free()
		var got api.Offers
		err := link.try(ctx, func(ctx context.Context) (err error) {
			got, err = d.offers(ctx, free, changed)
			return err
		})
		if err != nil {
			return err
		}
		if got.Drain {
			continue // whatever is offered beside it; offers has waited
		}
		taken := d.takeAll(ctx, life, got.Offers)
		if d.c.Once && taken > 0 {
			return errNoMore
		}
	}
}

func (d *Daemon) greet(ctx context.Context) error {
	w, err := d.blaise().Hello(ctx, d.hello())
	if err != nil {
		return err
	}
	d.greetOnce.Do(func() { close(d.greeted) })
	d.mu.Lock()
	d.ahead, d.called = time.Since(w.Time), w.Name
	d.mu.Unlock()
	d.log.Info("connected to Blaise", "url", d.c.URL, "runner", w.Name,
		"version", w.Version, "clock offset", time.Until(w.Time).Round(time.Millisecond))
	return nil
}

// idle refuses to wait longer for the run of Once.
func (d *Daemon) idle(waited time.Duration) error {
	children, burials, _ := d.live()
	if !d.c.Once || d.c.Idle == 0 || waited < d.c.Idle || children+burials > 0 {
		return nil
	}
	return blaise.Errorf(blaise.CodeNotFound, "no run came within %s", d.c.Idle).
		WithHint("`blaise list` shows what waits, `blaise why` for what")
}

// lookAgain is how soon a paused instance looks whether it may go on.
const lookAgain = 2 * time.Second

// offers polls; without room it only shows itself, and waits for room here.
func (d *Daemon) offers(ctx context.Context, free int, changed <-chan struct{}) (api.Offers, error) {
	if d.isAway() {
		return d.poll(ctx, free, 0) // that it is back is known by an answer, not by a wait
	}
	wait := d.c.Wait
	if d.hurry() {
		wait = min(wait, lookAgain)
	}
	if d.c.Once && d.c.Idle > 0 {
		wait = min(wait, d.c.Idle)
	}
	if free == 0 {
		wait = 0
	}
	got, err := d.poll(ctx, free, wait)
	if err != nil || free > 0 && (len(got.Offers) > 0 || !got.Drain) {
		return got, err
	}
	select {
	case <-changed:
	case <-time.After(d.c.Wait):
	case <-ctx.Done():
		return got, context.Cause(ctx)
	}
	return got, nil
}

// poll asks for offers, until the breaker opens: what is offered after that is
// for others.
func (d *Daemon) poll(ctx context.Context, free int, wait time.Duration) (api.Offers, error) {
	asking, stop := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	beside.Go(func() {
		select {
		case <-d.breaker.tripped:
			stop(errTripped)
		case <-asking.Done():
		}
	})
	got, err := d.blaise().Offers(asking, d.state.instance, d.state.boot, free, wait)
	stop(nil)
	beside.Wait()
	d.tally.polls.Add(1)
	if err != nil && errors.Is(context.Cause(asking), errTripped) {
		return api.Offers{}, nil
	}
	if err != nil && ctx.Err() == nil {
		d.tally.pollErrors.Add(1)
	}
	return got, err
}

var errTripped = errors.New("too many runs in a row failed at once")

// takeAll takes the offers for which there is room, in their order.
func (d *Daemon) takeAll(ctx, life context.Context, offers []api.Offer) (taken int) {
	for _, o := range offers {
		if n, _ := d.free(); n == 0 || ctx.Err() != nil {
			break
		}
		if d.c.Once && taken > 0 {
			break
		}
		if _, err := d.child(o.Run); err == nil {
			continue // ours already
		}
		d.state.births.Lock()
		r, err := d.state.newRow(o.Run, o.Kind)
		d.state.births.Unlock()
		if err != nil {
			d.log.Error("run not taken", "run", o.Run, "error", err)
			d.breaker.failed(d.c.ConfigFor(o.Agent), err.Error(), time.Now()) // else it is offered again at once
			continue
		}
		if d.bear(life, r) {
			taken++
		}
	}
	return taken
}

// bear accepts the run of r and starts its child. What goes wrong is said to
// Blaise at once (A25), and the ledger keeps it until that has worked.
func (d *Daemon) bear(ctx context.Context, r *row) bool {
	lease, err := d.accept(ctx, r)
	if err != nil {
		d.tally.refused.Add(1)
		d.log.Info("run not accepted", "run", r.Run, "error", err)
		if settled(err) {
			_ = d.state.forget(ctx, r) // the next daemon finds it, and is refused again
		}
		return false
	}
	d.tally.accepted.Add(1)
	d.log.Info("run accepted", "run", r.Run, "kind", lease.Kind, "agent", lease.Agent)
	r.Spec = d.spec(r, lease)
	if err := r.write(); err != nil {
		return d.stillborn(ctx, r, err)
	}
	if old := d.state.before(r); len(old) > 0 {
		d.bearAfter(ctx, r, old)
		return true
	}
	return d.raise(ctx, r)
}

// raise starts the child of r and follows it.
func (d *Daemon) raise(ctx context.Context, r *row) bool {
	ended := d.c.Tracer.Begin(trace.Span{
		Run: r.Run, Name: "start process", Parent: trace.RunSpan(r.Run),
		Attrs: map[string]string{"instance": string(d.state.instance)},
	})
	c, err := d.spawn(r)
	if err != nil {
		ended(err.Error())
		return d.stillborn(ctx, r, err)
	}
	ended("")
	d.add(c)
	d.watches.Go(func() { d.watch(ctx, c) })
	return true
}

func (d *Daemon) stillborn(ctx context.Context, r *row, err error) bool {
	d.tally.unstarted.Add(1)
	d.log.Error("run not started", "run", r.Run, "error", err)
	d.breaker.failed(r.Spec.Config, err.Error(), time.Now())
	d.bury(ctx, r, err.Error())
	return false
}

func (d *Daemon) accept(ctx context.Context, r *row) (api.Lease, error) {
	var lease api.Lease
	a := api.Accept{Instance: d.state.instance, Boot: d.state.boot, Nonce: r.Nonce}
	err := persist(ctx, time.Minute, func() (err error) {
		lease, err = d.blaise().Accept(ctx, r.Run, a)
		return err
	})
	return lease, err
}

// settled says that asking again would get the same answer.
func settled(err error) bool {
	switch blaise.CodeOf(err) {
	case blaise.CodeRefused, blaise.CodeNotFound, blaise.CodeStale, blaise.CodeInvalid, blaise.CodeDenied:
		return true
	}
	return false
}

// persist tries until do works, is refused for good, or limit, if any, has passed.
func persist(ctx context.Context, limit time.Duration, do func() error) error {
	began := time.Now()
	for {
		err := do()
		if err == nil || settled(err) || limit > 0 && time.Since(began) > limit {
			return err
		}
		if pause(ctx, time.Since(began)) != nil {
			return err
		}
	}
}
