package run

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// shellComes is how long a run for a shell waits for the first one: a little
// longer than Blaise waits for the run.
const shellComes = 30 * time.Second

// serveShells is the work of a run without an agent: it is there for the shells
// of people, and ends with the last of them.
func (r *run) serveShells(ctx context.Context) error {
	r.shells.open(r.stack.Env())
	r.looks.begin()
	r.say(api.Report{Event: blaise.EventOpened, Plugs: r.stack.Resumable()})
	comes := time.NewTimer(shellComes)
	defer comes.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-comes.C:
		case <-r.shells.left:
		}
		if r.shells.none() {
			return errShellsClosed
		}
	}
}
