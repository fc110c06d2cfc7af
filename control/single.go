package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// SingleUseLife is how long a single-use token that nobody has used is good.
const SingleUseLife = 15 * time.Minute

// NewRunnerFor makes a single-use runner for a session and no other, and its
// token. CodeNotFound: there is no such session; CodeRefused: it has ended.
func (c *Control) NewRunnerFor(
	ctx context.Context, by, name string, labels map[string]string, id blaise.SessionID,
) (store.Runner, string, error) {
	v, err := c.db.View(ctx, id)
	if err != nil {
		return store.Runner{}, "", err
	}
	if v.Session.State == blaise.SessionEnded {
		return store.Runner{}, "", blaise.Errorf(blaise.CodeRefused, "session %s has ended", id)
	}
	return c.makeRunner(ctx, store.Runner{Name: name, Labels: labels, SingleUse: true, Session: id, By: by})
}

// fresh refuses a single-use token that nobody used in time.
func (c *Control) fresh(r store.Runner) error {
	if !r.SingleUse || r.Used || c.now().Sub(r.CreatedAt) < SingleUseLife {
		return nil
	}
	return blaise.Errorf(blaise.CodeDenied, "the single-use token of runner %s was not used within %s",
		r.Name, SingleUseLife).WithHint("make a new one with `blaise token create NAME --single-use`")
}

// use reads the runner of an instance that says hello, and binds a single-use
// token to the first one.
func use(tx *store.Tx, in store.Instance) (store.Runner, error) {
	r, err := tx.Runner(in.Runner)
	if err != nil || !r.SingleUse || r.UsedBy == in.ID {
		return r, err
	}
	if r.Used {
		return r, blaise.Errorf(blaise.CodeDenied, "the single-use token of runner %s is used already", r.Name).
			WithHint("make a new one with `blaise token create NAME --single-use`")
	}
	r.Used, r.UsedBy = true, in.ID
	return r, tx.PutRunner(r)
}

// admit refuses a runner that is to go, but for a teardown, and gives a
// single-use one its one session.
func admit(tx *store.Tx, id blaise.RunnerID, run blaise.RunID) (store.Runner, error) {
	r, err := tx.Runner(id)
	switch {
	case err == nil && r.Revoked:
		return r, revoked(r)
	case err == nil && r.Leaving != nil:
		return r, mayTearDown(tx, r, run)
	}
	if err != nil || !r.SingleUse || r.Session == run.Session() {
		return r, err
	}
	if !mayServe(r, run.Session()) {
		return r, blaise.Errorf(blaise.CodeRefused, "the single-use token of runner %s is for session %s",
			r.Name, r.Session)
	}
	r.Session = run.Session()
	return r, tx.PutRunner(r)
}

// mayTearDown refuses a runner that goes for good all but teardowns.
func mayTearDown(tx *store.Tx, r store.Runner, id blaise.RunID) error {
	run, err := tx.Run(id)
	if err != nil || run.Kind == blaise.RunTeardown {
		return err
	}
	return blaise.Errorf(blaise.CodeRefused, "runner %s drains, and is revoked then", r.Name)
}

// mayServe says whether a runner may work for a session: a single-use one has
// one alone.
func mayServe(r store.Runner, id blaise.SessionID) bool {
	return !r.SingleUse || r.Session == "" || r.Session == id
}
