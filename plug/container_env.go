package plug

import (
	"context"
	"errors"
	"io"
	"time"

	"blaise.dev/blaise/internal/engine"
)

// env is the inside of the container. Each command is an exec of the shim in it.
func (b *containerBuilder) env(outer Env) (Env, error) {
	place := outer.Place()
	place.Dir, place.Home, place.Shim = b.p.c.Workdir, b.p.c.Home, b.shim.inside
	place.OS, place.Arch = "linux", b.e.Arch
	place.Env = mergeEnv(place.Env, pairs(b.p.c.Env))
	return newReached(b.s, place, b.exec)
}

// engineLimit is how long an engine may be away: it restarts, and the run that
// lost its agent with it starts it again.
const engineLimit = time.Minute

// exec runs the shim inside. An engine that is away is waited for, and a
// container that it did not start again is started: nothing runs in it then.
func (b *containerBuilder) exec(ctx context.Context, args ...string) (io.ReadWriteCloser, error) {
	argv := append([]string{b.shim.inside}, args...)
	for deadline := time.Now().Add(engineLimit); ; {
		rw, err := b.e.Exec(ctx, b.name, argv)
		switch {
		case err == nil || ctx.Err() != nil || time.Now().After(deadline):
			return rw, err
		case errors.Is(err, engine.ErrStopped):
			if err := b.e.Start(ctx, b.name); err != nil && !errors.Is(err, engine.ErrUnreachable) {
				return nil, err
			}
		case !errors.Is(err, engine.ErrUnreachable):
			return nil, err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
