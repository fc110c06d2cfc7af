package run

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"blaise.dev/blaise"
)

// runFiles are what Blaise keeps of the session, under the run's lease.
type runFiles struct{ r *run }

// Put keeps a file; it tries as long as ctx lasts while Blaise is away. Sent
// twice it is kept once. How far a long one is stands in the record.
func (f runFiles) Put(ctx context.Context, path string) (string, error) {
	u, over := newUpload(path), make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() { u.tell(over, f.r.note) })
	defer telling.Wait()
	defer close(over)
	var sum string
	err := f.persist(ctx, func() (err error) {
		u.sent.Store(0)
		sum, err = f.r.client.PutPath(ctx, path, "", u)
		return err
	})
	return sum, err
}

// Get writes a file to a new one; it tries as Put does.
func (f runFiles) Get(ctx context.Context, sum, path string) error {
	return f.persist(ctx, func() error {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(f.r.client.RunFile(ctx, sum, file), file.Close())
	})
}

// fileAgain is how long a try of a file is waited for the next.
const fileAgain = time.Second

func (f runFiles) persist(ctx context.Context, do func() error) error {
	for {
		err := do()
		if blaise.CodeOf(err) == blaise.CodeStale {
			f.r.fenceOff()
		}
		if blaise.CodeOf(err) != blaise.CodeUnreachable {
			return err
		}
		select {
		case <-time.After(fileAgain):
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// wholesEvery is how soon an event that was too long is with Blaise whole.
const wholesEvery = 2 * time.Second

// shipWholes takes such events to Blaise while the run lasts; what is left at its
// end the daemon takes.
func (r *run) shipWholes(ctx context.Context) {
	for sleep(ctx, wholesEvery) == nil {
		if err := r.client.PutWholes(ctx, r.spool); err != nil && ctx.Err() == nil {
			r.log.Info("long events wait on this machine", "error", err)
		}
	}
}
