package control

import (
	"context"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

const (
	sweepBatch = 100
	// sweepMost bounds how long the sweeper sleeps, so that a sleep of the
	// machine or a change of its clock is noticed.
	sweepMost = 30 * time.Second
	// sleptFor is how much further the wall clock must have gone than the
	// monotonic one (which stands still) to say that the machine slept.
	sleptFor = 10 * time.Second
)

// A sweeper fires the clocks that are due. It is the only one who does; what
// it costs follows from what is due, not from what exists.
type sweeper struct {
	c    *Control
	kick chan struct{}

	mu   sync.Mutex // guards next
	next time.Time  // when it will look again
}

func newSweeper(c *Control) *sweeper {
	return &sweeper{c: c, kick: make(chan struct{}, 1)}
}

// hint tells the sweeper of clocks that were just written.
func (s *sweeper) hint(clocks []blaise.Clock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range clocks {
		if k.DueAt.Before(s.next) {
			select {
			case s.kick <- struct{}{}:
			default:
			}
			return
		}
	}
}

func (s *sweeper) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	seen := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.kick:
		}
		seen = s.notice(seen)
		timer.Reset(s.pass(ctx))
	}
}

// notice compares the two clocks since the last look.
func (s *sweeper) notice(seen time.Time) time.Time {
	now := time.Now()
	wall := now.Round(0).Sub(seen.Round(0))
	if wall-now.Sub(seen) > sleptFor {
		s.c.log.Info("machine slept", "for", wall)
		s.c.beats.woke()
	}
	return now
}

// pass fires what is due and answers how long there is nothing to do.
func (s *sweeper) pass(ctx context.Context) time.Duration {
	now := s.c.now().UTC()
	s.plan(now.Add(sweepMost))
	for {
		due, err := s.c.db.Due(ctx, now, sweepBatch)
		if err != nil {
			s.c.log.Error("clocks not read", "error", err)
			return time.Second
		}
		for _, d := range due {
			s.fire(ctx, now, d)
		}
		if len(due) < sweepBatch {
			break
		}
	}
	at, any, err := s.c.db.NextDue(ctx)
	if err != nil || !any {
		return sweepMost
	}
	wait := min(max(at.Sub(s.c.now()), time.Millisecond), sweepMost)
	s.plan(s.c.now().Add(wait))
	return wait
}

func (s *sweeper) plan(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = at
}

// fire applies one due clock, or moves it on where what it waits for was seen
// meanwhile in memory.
func (s *sweeper) fire(ctx context.Context, now time.Time, d store.Due) {
	if later := s.later(ctx, d); later.After(now) {
		err := s.c.db.Tx(ctx, func(tx *store.Tx) error {
			return tx.TouchClock(d.Session, d.Clock.Kind, later)
		})
		if err != nil {
			s.c.log.Error("clock not moved", "session", d.Session, "clock", d.Clock.Kind, "error", err)
		}
		return
	}
	_, err := s.c.Apply(ctx, d.Session, blaise.Event{
		Kind: blaise.EventClockFired, By: "clock", Clock: d.Clock, At: now,
	})
	if err == nil {
		return
	}
	s.c.log.Error("clock refused", "session", d.Session, "clock", d.Clock.Kind, "error", err)
	// A clock whose decision fails must not spin: look again in a minute.
	_ = s.c.db.Tx(ctx, func(tx *store.Tx) error {
		return tx.TouchClock(d.Session, d.Clock.Kind, now.Add(time.Minute))
	})
}

// later is when a clock fires in the light of beats and progress; zero if the
// row is right.
func (s *sweeper) later(ctx context.Context, d store.Due) time.Time {
	switch d.Clock.Kind {
	case blaise.ClockLost, blaise.ClockSilenceWarn, blaise.ClockStalled:
	default:
		return time.Time{}
	}
	v, err := s.c.db.View(ctx, d.Session)
	if err != nil || len(v.Runs) == 0 {
		return time.Time{}
	}
	run := v.Runs[len(v.Runs)-1]
	span := d.Clock.Span()
	if d.Clock.Kind == blaise.ClockLost {
		return s.c.beats.last(run.ID).Add(span)
	}
	if at := s.c.beats.moved(run.ID); at.After(d.Clock.Since) {
		return at.Add(span)
	}
	return time.Time{}
}
