package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// heardEvery is how exact an instance's LastSeen is: often enough for
// OnlineWithin, and no write on the way of every accept.
const heardEvery = 10 * time.Second

// Heard finds the instance of a runner that speaks, and notes that it does.
// CodeNotFound: it has to say hello first; also when another daemon process
// (boot) has taken its place.
func (c *Control) Heard(
	ctx context.Context, r store.Runner, id blaise.InstanceID, boot string,
) (store.Instance, error) {
	var in store.Instance
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		var err error
		in, err = tx.Instance(id)
		switch {
		case err != nil && blaise.CodeOf(err) != blaise.CodeNotFound:
			return err
		case err != nil || in.Runner != r.ID:
			return blaise.Errorf(blaise.CodeNotFound, "instance %q of runner %s is not known", id, r.Name).
				WithHint("say hello first")
		case in.Boot != boot:
			return blaise.Errorf(blaise.CodeNotFound, "instance %s was started anew since (boot %s)", id, in.Boot).
				WithHint("say hello again, unless another daemon has taken over")
		}
		now := c.now()
		if ago := now.Sub(in.LastSeen); ago >= 0 && ago < heardEvery {
			return nil
		}
		in.LastSeen = now
		return tx.PutInstance(in)
	})
	return in, err
}

// RunOf answers a run in any state.
func (c *Control) RunOf(ctx context.Context, id blaise.RunID) (blaise.Run, error) {
	var run blaise.Run
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		var err error
		run, err = tx.Run(id)
		return err
	})
	return run, err
}
