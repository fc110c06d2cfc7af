package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/plug"
)

// connect tells Blaise that the run is there, again and again while Blaise is
// away, and takes the directives that wait.
func (r *run) connect(ctx context.Context) error {
	start := plug.Boottime()
	limit := blaise.Policy{Beat: r.lease.Beat, Misses: r.lease.Misses}.StopAfter()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		at := plug.Boottime()
		c, err := r.client.Connect(ctx)
		if err == nil {
			r.beat.begin(at)
			r.hear(api.Directives{Directives: c.Directives})
			return nil
		}
		if blaise.CodeOf(err) != blaise.CodeUnreachable || plug.Boottime()-start > limit {
			return err
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// serve starts what goes on beside the work, and returns what ends it.
func (r *run) serve(life context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(life)
	var wg sync.WaitGroup
	wg.Go(func() { r.beat.run(ctx) })
	wg.Go(func() {
		if err := r.ship.Run(ctx); ctx.Err() == nil {
			r.mute.Store(true)
			r.stopWork(err) // A21: a record that is refused fails the run
		}
	})
	wg.Go(func() {
		r.follow(ctx)
	})
	wg.Go(func() { r.obeyAll(ctx) })
	wg.Go(func() { r.shipWholes(ctx) })
	return func() {
		cancel()
		wg.Wait()
		r.beside.Wait()
	}
}

// follow listens for directives. Whatever a proxy answers, only a stale lease
// ends it.
func (r *run) follow(ctx context.Context) {
	take := func(d api.Directives) error { r.hear(d); return nil }
	for ctx.Err() == nil {
		err := r.client.FollowDirectives(ctx, 0, take)
		if blaise.CodeOf(err) == blaise.CodeStale {
			r.fenceOff()
		}
		_ = sleep(ctx, 5*time.Second) // the end of ctx is seen above
	}
}

func (r *run) newPulse() *pulse {
	return &pulse{
		lease: r.lease, fence: r.fence, end: r.stopWork,
		send: func(ctx context.Context) (api.Beaten, error) {
			return r.client.Beat(ctx, api.Beat{Spooled: r.spool.Last() - r.spool.Acked()})
		},
		behind: r.catchUp, note: r.noteBeat,
	}
}

// BeatFile is where a run writes down, in its directory, when its last beat was
// sent that Blaise acknowledged: nanoseconds on the clock of Boottime. The daemon
// holds a run that hangs to its fence by it (X2).
const BeatFile = "beat"

// noteBeat writes as many bytes each time, so that who reads sees a whole number.
func (r *run) noteBeat(at time.Duration) {
	f, err := os.OpenFile(filepath.Join(r.spec.Dir, BeatFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%020d\n", int64(at))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		r.log.Error("beat not written down, the daemon may take the run for hung", "error", err)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
