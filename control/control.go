package control

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/webhook"
)

// Options are what a Control works with. DB and Secret are required.
type Options struct {
	DB     *store.DB
	Secret []byte // at least 32 bytes: lease tokens are derived from it
	Log    *slog.Logger
	Now    func() time.Time // the wall clock, which may jump; time.Now when nil
	Hub    *Hub             // shared with the store's Appended hook; made when nil
	// Observer is told what happened; nil: nobody.
	Observer Observer
	Sender   *webhook.Sender // delivers to webhooks; one for public addresses when nil
	URL      string          // where people reach Blaise, for links; "" for none
	// Retain is how long sessions are kept after they ended; 0: for ever.
	Retain time.Duration
	// RetainDropsWork: those go too of which Blaise alone may have saved work.
	RetainDropsWork bool
}

// A Control is one process of the control plane. It is safe for concurrent
// use.
type Control struct {
	db       *store.DB
	secret   []byte
	log      *slog.Logger
	now      func() time.Time
	hub      *Hub
	beats    *beats
	sweep    *sweeper
	leaves   *farewell
	crowd    *crowd
	waiting  *waiting
	rush     *rush
	looks    looks
	observer Observer
	sender   *webhook.Sender
	post     *postman
	old      retention
	failed   *guard // sign-ins
	url      string
}

// New returns a Control that decides; its clocks stand still until Run.
func New(o Options) *Control {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hub == nil {
		o.Hub = NewHub()
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Sender == nil {
		o.Sender = new(webhook.Sender)
	}
	// Without the monotonic reading, so that times in memory and in the store
	// are compared alike; the sweeper notices what the wall clock does.
	now := func() time.Time { return o.Now().Round(0).UTC() }
	c := &Control{db: o.DB, secret: o.Secret, log: o.Log, now: now, hub: o.Hub, beats: newBeats(now),
		waiting: newWaiting(o.DB), observer: o.Observer, sender: o.Sender, url: o.URL}
	c.rush = newRush(c.waiting, now)
	c.crowd = newCrowd(c)
	c.sweep, c.leaves, c.post = newSweeper(c), newFarewell(c), newPostman(c)
	c.old, c.failed = retention{c: c, keep: o.Retain, drop: o.RetainDropsWork}, newGuard()
	return c
}

// Run keeps the clocks, tells the sessions of revoked runners, delivers to
// webhooks, and deletes what is old, until ctx ends.
func (c *Control) Run(ctx context.Context) error {
	var telling sync.WaitGroup
	defer telling.Wait()
	telling.Go(func() { c.leaves.run(ctx) })
	telling.Go(func() { c.post.run(ctx) })
	telling.Go(func() { c.old.run(ctx) })
	telling.Go(func() { c.crowd.run(ctx) })
	return c.sweep.run(ctx)
}

// Hub is where followers of sessions, runs and offers are woken.
func (c *Control) Hub() *Hub { return c.hub }

// Apply decides what an event means for a session and writes it down. The plan
// it answers is committed. Errors are *blaise.Error where the event is refused;
// nothing has changed then.
func (c *Control) Apply(ctx context.Context, id blaise.SessionID, e blaise.Event) (blaise.Plan, error) {
	var plan blaise.Plan
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		var err error
		plan, err = c.decide(tx, id, e)
		return err
	})
	if err != nil {
		return blaise.Plan{}, err
	}
	c.wake(plan)
	if e.Kind == blaise.EventReleased || e.Kind == blaise.EventMarkDestroyed {
		c.leaves.hint(plan.Next.Session.Runner) // who goes for good may have waited for that
	}
	return plan, nil
}

// decide is Apply inside a transaction that holds more than the one event. The
// caller wakes after its commit.
func (c *Control) decide(tx *store.Tx, id blaise.SessionID, e blaise.Event) (blaise.Plan, error) {
	before, err := c.snapshot(tx, id)
	if err != nil {
		return blaise.Plan{}, err
	}
	if e.At.IsZero() {
		e.At = c.now()
	}
	if e.Kind == blaise.EventMarkDestroyed {
		if e.Earlier, err = clearEarlier(tx, before, e.Reason); err != nil {
			return blaise.Plan{}, err
		}
	}
	if e.Kind == blaise.EventRunAccepted && before.Policy.Concurrency > 0 {
		if e.AtWork, err = tx.AtWork(before.Session.Agent); err != nil {
			return blaise.Plan{}, err
		}
	}
	plan, err := blaise.Decide(before, e)
	if err != nil {
		return blaise.Plan{}, err
	}
	if err := tx.Write(before, plan); err != nil {
		return plan, err
	}
	return plan, c.announce(tx, plan.News)
}

func (c *Control) snapshot(tx *store.Tx, id blaise.SessionID) (blaise.Snapshot, error) {
	s, err := tx.Snapshot(id)
	if err != nil {
		return s, err
	}
	a, err := tx.Agent(s.Session.Agent)
	if err != nil {
		return s, err
	}
	s.Policy = policyOf(a)
	if s.Run != nil {
		s.Run.UnreachableSince = c.unreachable(*s.Run, s.Policy)
	}
	return s, nil
}

// unreachable is since when a run has not been heard, zero if it is.
func (c *Control) unreachable(r blaise.Run, p blaise.Policy) time.Time {
	last := c.beats.last(r.ID)
	if r.State == blaise.RunOffered || c.now().Sub(last) <= p.Reach() {
		return time.Time{}
	}
	return last
}

// policyOf is an agent's policy with the state of the agent in it (A27).
func policyOf(a store.Agent) blaise.Policy {
	p := a.Policy
	p.Revision = a.Revision
	p.Disabled = a.State == AgentDisabled
	p.Archived = a.State == AgentArchived
	return p
}

// wake hints to all whom a committed plan may concern.
func (c *Control) wake(p blaise.Plan) {
	c.observer.Decided(p)
	c.tell(p)
	id := p.Next.Session.ID
	c.hub.Wake(TopicSession(id))
	c.hub.Wake(TopicSessions)
	if r := p.Next.Run; r != nil {
		if r.State == blaise.RunOffered {
			c.hub.Wake(TopicOffers)
		} else {
			c.waiting.forget(r.ID)
		}
		if len(p.Issue) > 0 || len(p.Void) > 0 {
			c.hub.Wake(TopicRun(r.ID))
		}
	}
	for _, r := range p.Ended.Runs {
		c.beats.forget(r.ID)
		c.waiting.forget(r.ID)
		c.hub.Wake(TopicRun(r.ID))
		c.leaves.hint(r.Runner)
		if p.Next.Policy.Concurrency > 0 && r.Kind.HasAgent() {
			c.hub.Wake(TopicOffers) // its place is free
		}
	}
	c.sweep.hint(p.Next.Clocks)
	if len(p.News) > 0 {
		c.post.hint()
	}
}
