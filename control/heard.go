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
// (boot) has taken its place, and after its goodbye: what it sent before and
// arrives late does not bring it back.
func (c *Control) Heard(
	ctx context.Context, r store.Runner, id blaise.InstanceID, boot string,
) (store.Instance, error) {
	in, err := c.db.Instance(ctx, id)
	if err = here(in, err, r, id, boot); err != nil || c.seen(in) {
		return in, err
	}
	err = c.db.Tx(ctx, func(tx *store.Tx) error {
		var err error
		in, err = tx.Instance(id)
		if err = here(in, err, r, id, boot); err != nil || c.seen(in) {
			return err
		}
		in.LastSeen = c.now()
		return tx.PutInstance(in)
	})
	return in, err
}

// seen says that the instance was noted as heard just now; a clock that was set
// back since is no reason to think so.
func (c *Control) seen(in store.Instance) bool {
	ago := c.now().Sub(in.LastSeen)
	return ago >= 0 && ago < heardEvery
}

// here is same, of an instance that has not said goodbye.
func here(in store.Instance, err error, r store.Runner, id blaise.InstanceID, boot string) error {
	if err = same(in, err, r, id, boot); err != nil || in.StoppedAt.IsZero() {
		return err
	}
	return blaise.Errorf(blaise.CodeNotFound, "instance %s has said goodbye", id).WithHint("say hello again")
}

// same says whether what was read is the instance of the runner that speaks.
func same(in store.Instance, err error, r store.Runner, id blaise.InstanceID, boot string) error {
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
	return nil
}
