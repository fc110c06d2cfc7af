package control

import (
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// SingleUseLife is how long a single-use token that nobody has used is good.
const SingleUseLife = 15 * time.Minute

// fresh refuses a single-use token that nobody used in time.
func (c *Control) fresh(r store.Runner) error {
	if !r.SingleUse || r.Used || c.now().Sub(r.CreatedAt) < SingleUseLife {
		return nil
	}
	return blaise.Errorf(blaise.CodeDenied, "the single-use token of runner %s was not used within %s",
		r.Name, SingleUseLife).WithHint("make a new one with `blaise token create NAME --single-use`")
}

// use binds a single-use token to the first daemon that says hello with it.
func use(tx *store.Tx, in store.Instance) error {
	r, err := tx.Runner(in.Runner)
	if err != nil || !r.SingleUse || r.UsedBy == in.ID {
		return err
	}
	if r.Used {
		return blaise.Errorf(blaise.CodeDenied, "the single-use token of runner %s is used already", r.Name).
			WithHint("make a new one with `blaise token create NAME --single-use`")
	}
	r.Used, r.UsedBy = true, in.ID
	return tx.PutRunner(r)
}

// spend gives a single-use runner its one session.
func spend(tx *store.Tx, id blaise.RunnerID, run blaise.RunID) error {
	r, err := tx.Runner(id)
	if err != nil || !r.SingleUse || r.Session == run.Session() {
		return err
	}
	if !mayServe(r, run.Session()) {
		return blaise.Errorf(blaise.CodeRefused, "the single-use token of runner %s is for session %s",
			r.Name, r.Session)
	}
	r.Session = run.Session()
	return tx.PutRunner(r)
}

// mayServe says whether a runner may work for a session: a single-use one has
// one alone.
func mayServe(r store.Runner, id blaise.SessionID) bool {
	return !r.SingleUse || r.Session == "" || r.Session == id
}
