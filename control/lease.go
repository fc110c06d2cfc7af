package control

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// LeasePrefix begins every lease token.
const LeasePrefix = "bll_"

// An Accept is an instance's word that it takes a run. Its nonce, on its disk
// before it asks, makes asking twice safe.
type Accept struct {
	Instance blaise.InstanceID
	Machine  blaise.MachineID
	Boot     string
	Nonce    string
	Once     bool // by a runner that is there for one run
}

// A Lease is what an accepted run needs: its token and all that a decision
// about it was made from.
type Lease struct {
	Token    string
	Snapshot blaise.Snapshot
	Config   []byte // the last good blaise.yml of the environment
}

// Accept gives a run to an instance, once: the first accept wins, and the same
// nonce gets the same lease again (R18).
func (c *Control) Accept(ctx context.Context, r store.Runner, id blaise.RunID, a Accept) (Lease, error) {
	if a.Nonce == "" {
		return Lease{}, blaise.Errorf(blaise.CodeInvalid, "accept run %s: the nonce is empty", id)
	}
	defer c.rush.accept()()
	token := c.leaseToken(id, a.Nonce)
	var plan *blaise.Plan
	var l Lease
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		plan, l = nil, Lease{Token: token}
		known, ok, err := tx.Lease(id)
		if err != nil {
			return err
		}
		if ok {
			if known.Nonce != a.Nonce {
				return blaise.Errorf(blaise.CodeRefused, "run %s was taken by another instance", id)
			}
			l.Snapshot, err = c.snapshot(tx, id.Session())
		} else {
			p, err := c.take(tx, r, id, a, token)
			if err != nil {
				return err
			}
			plan, l.Snapshot = &p, p.Next
		}
		if err != nil {
			return err
		}
		l.Snapshot = l.Snapshot.AtConnect()
		l.Config, err = tx.Config(l.Snapshot.Environment.ID)
		return err
	})
	if err != nil {
		return Lease{}, err
	}
	if plan != nil {
		c.beats.hear(id)
		c.wake(*plan)
	}
	return l, c.goOnFrom(ctx, &l.Snapshot)
}

// goOnFrom gives a session that goes on from another the work that the other
// saved last, as long as it has saved none of its own.
func (c *Control) goOnFrom(ctx context.Context, s *blaise.Snapshot) error {
	if s.Session.From == "" || s.Save.N > 0 {
		return nil
	}
	saves, err := c.db.Saves(ctx, s.Session.From)
	if err == nil && len(saves) > 0 {
		s.Save = saves[len(saves)-1]
	}
	return err
}

func (c *Control) take(tx *store.Tx, r store.Runner, id blaise.RunID, a Accept, token string) (blaise.Plan, error) {
	r, err := admit(tx, r.ID, id)
	if err != nil {
		return blaise.Plan{}, err
	}
	p, err := c.decide(tx, id.Session(), blaise.Event{
		Kind: blaise.EventRunAccepted, By: "runner " + r.Name, Run: id,
		Runner: r.ID, Instance: a.Instance, Machine: a.Machine, Boot: a.Boot, Ephemeral: a.Once,
		Leaves: r.Leaving != nil,
	})
	if err != nil {
		return p, err
	}
	return p, tx.KeepLease(id, a.Nonce, HashToken(token))
}

// leaseToken derives a run's token, so that it can be given again to who knows
// the nonce and is kept nowhere but as a hash.
func (c *Control) leaseToken(id blaise.RunID, nonce string) string {
	m := hmac.New(sha256.New, c.secret)
	m.Write([]byte("lease\x00" + string(id) + "\x00" + nonce))
	return LeasePrefix + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// HashToken is how a token is kept and looked up.
func HashToken(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// ByLease finds the run a lease token belongs to. It answers CodeStale for a
// token that opens nothing any more: whoever holds it must stop now (X2).
func (c *Control) ByLease(ctx context.Context, token string) (blaise.Run, error) {
	r, err := c.db.RunByLease(ctx, HashToken(token))
	if err != nil {
		var e *blaise.Error
		if errors.As(err, &e) && e.Code == blaise.CodeNotFound {
			return r, blaise.Errorf(blaise.CodeStale, "the lease is not known: stop now")
		}
		return r, err
	}
	return r, nil
}

// SpawnFailed says that an accepted run's process could not be started (A25).
func (c *Control) SpawnFailed(ctx context.Context, r store.Runner, id blaise.RunID, reason string) error {
	return c.endOf(ctx, r, id, blaise.EventSpawnFailed, reason)
}

// Dead says that a run's process and all it started are gone, on the proof of
// its own instance (X2).
func (c *Control) Dead(ctx context.Context, r store.Runner, id blaise.RunID, reason string) error {
	return c.endOf(ctx, r, id, blaise.EventRunDead, reason)
}

func (c *Control) endOf(ctx context.Context, r store.Runner, id blaise.RunID, kind blaise.EventKind, reason string) error {
	var plan blaise.Plan
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		run, err := tx.Run(id)
		if err != nil {
			return err
		}
		if run.Runner != r.ID {
			return blaise.Errorf(blaise.CodeDenied, "run %s is not one of runner %s", id, r.Name)
		}
		plan, err = c.decide(tx, id.Session(), blaise.Event{
			Kind: kind, By: "runner " + r.Name, Run: id, Reason: reason,
		})
		return err
	})
	if err == nil {
		c.wake(plan)
	}
	return err
}
