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
	// late is how much later than it meant to the sweeper must look to say that
	// nobody was there meanwhile, and how far the clock must go back to be
	// noticed. Smaller steps shift what is due by as much, no more.
	late = 10 * time.Second
)

// A sweeper fires the clocks that are due. It is the only one who does; what
// it costs follows from what is due, not from what exists.
type sweeper struct {
	c    *Control
	kick chan struct{}

	// Of the goroutine that looks.
	looked time.Time // when the last look ended; zero before the first
	meant  time.Time // when the next one was to begin, at the latest

	mu   sync.Mutex // guards next and seen
	next time.Time  // when it will look again
	seen time.Time  // when it looked last, on the clock that only runs
}

func newSweeper(c *Control) *sweeper {
	return &sweeper{c: c, kick: make(chan struct{}, 1), seen: time.Now()}
}

// silent is for how long the sweeper has not looked.
func (s *sweeper) silent() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.seen)
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
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.kick:
		}
		timer.Reset(s.look(ctx))
	}
}

// look is one turn: it notices what the wall clock has done since the last,
// fires what is due, and answers how long there is nothing to do.
func (s *sweeper) look(ctx context.Context) time.Duration {
	now, began := s.c.now(), time.Now()
	switch {
	case s.looked.IsZero():
		s.setBack(ctx, now) // while nobody was serving, perhaps
	case now.Before(s.looked.Add(-late)):
		s.c.log.Warn("clock was set back", "by", s.looked.Sub(now))
		s.c.beats.woke()
		s.setBack(ctx, now)
	case now.After(s.meant.Add(late)):
		s.c.log.Info("nobody was serving: the machine slept, or its clock was set", "for", now.Sub(s.looked))
		s.c.beats.woke()
	}
	wait := s.pass(ctx, now)
	// Not what the wall clock says: what it does during the pass is noticed too.
	s.looked = now.Add(time.Since(began))
	s.meant = s.looked.Add(wait)
	return wait
}

// setBack has the clocks begin now that began in what is the future.
func (s *sweeper) setBack(ctx context.Context, now time.Time) {
	var last blaise.SessionID
	for {
		ids, err := s.c.db.SessionsAhead(ctx, now.Add(late), last, sweepBatch)
		if err != nil {
			s.c.log.Error("clocks not read", "error", err)
			return
		}
		for _, id := range ids {
			_, err := s.c.Apply(ctx, id, blaise.Event{Kind: blaise.EventClockSetBack, By: "clock", At: now})
			if err != nil {
				s.c.log.Error("clocks not set back", "session", id, "error", err)
			}
			last = id
		}
		if len(ids) < sweepBatch {
			return
		}
	}
}

// pass fires what is due at the time that look has found right, and answers how
// long there is nothing to do.
func (s *sweeper) pass(ctx context.Context, now time.Time) time.Duration {
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
	s.next, s.seen = at, time.Now()
}

// fire applies one due clock, or moves it on where what it waits for was seen
// meanwhile in memory.
func (s *sweeper) fire(ctx context.Context, now time.Time, d store.Due) {
	if later := s.later(ctx, d); later.After(now) {
		err := s.c.db.Tx(ctx, func(tx *store.Tx) error {
			return tx.TouchClock(d, later)
		})
		if err != nil {
			s.c.log.Error("clock not moved", "session", d.Session, "clock", d.Clock.Kind, "error", err)
		}
		return
	}
	_, err := s.c.Apply(ctx, d.Session, blaise.Event{
		Kind: blaise.EventClockFired, By: "clock", Clock: d.Clock, At: now, Serving: s.c.beats.since(),
	})
	if err == nil {
		return
	}
	s.c.log.Error("clock refused", "session", d.Session, "clock", d.Clock.Kind, "error", err)
	// A clock whose decision fails must not spin: look again in a minute.
	_ = s.c.db.Tx(ctx, func(tx *store.Tx) error {
		return tx.TouchClock(d, now.Add(time.Minute))
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
