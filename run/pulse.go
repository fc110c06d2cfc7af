package run

import (
	"context"
	"sync/atomic"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/plug"
)

// A pulse is the heartbeat of a run, and its fence (X2): it counts the time
// since the send of the last beat that Blaise acknowledged, on a clock that
// counts sleep.
type pulse struct {
	lease  api.Lease
	send   func(context.Context) (api.Beaten, error)
	fence  *plug.Fence
	end    func(error)                           // tells the run why it must end
	behind func(ctx context.Context, last int64) // the number of the last directive there is

	note func(acked time.Duration) // writes it down for who watches over the run

	acked  atomic.Int64 // on the clock of Boottime
	failed int          // beats in a row, since the last gap
	frozen bool
}

func (p *pulse) policy() blaise.Policy {
	return blaise.Policy{Beat: p.lease.Beat, Misses: p.lease.Misses}
}

// begin counts from now on: the lease was just confirmed.
func (p *pulse) begin(at time.Duration) {
	p.acked.Store(int64(at))
	p.note(at)
	p.fence.Renew(at + p.policy().KillAfter())
}

// run beats until ctx ends. It looks at the clock four times a beat, so that a
// sleep of the machine is noticed soon after it.
func (p *pulse) run(ctx context.Context) {
	tick := time.NewTicker(max(p.lease.Beat/4, time.Millisecond))
	defer tick.Stop()
	looked, sent := plug.Boottime(), time.Duration(0)
	for {
		now := plug.Boottime()
		if now-looked > 3*p.lease.Beat {
			p.freeze()
		}
		looked = now // not after the beat: a gap may lie in it
		if p.frozen || now-sent >= p.lease.Beat {
			sent = now
			p.once(ctx, now)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pulse) once(ctx context.Context, now time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, p.lease.Beat)
	defer cancel()
	beaten, err := p.send(ctx)
	if err == nil {
		p.begin(now)
		p.thaw()
		p.failed = 0
		p.behind(ctx, beaten.Directive)
		return
	}
	if blaise.CodeOf(err) == blaise.CodeStale {
		p.end(ErrFenced)
		return
	}
	p.failed++
	p.judge()
}

// judge decides what a failed beat means. After a gap Blaise is asked a few
// times before the time that passed in the gap counts.
func (p *pulse) judge() {
	silent := plug.Boottime() - time.Duration(p.acked.Load())
	switch {
	case p.failed < min(3, p.lease.Misses):
	case silent >= p.policy().KillAfter():
		p.end(ErrFenced)
	case silent >= p.policy().StopAfter():
		p.thaw() // the agent is to be stopped, not killed
		p.end(ErrLostContact)
	}
}

func (p *pulse) freeze() {
	p.frozen, p.failed = true, 0
	p.fence.Freeze()
}

func (p *pulse) thaw() {
	if p.frozen {
		p.frozen = false
		p.fence.Thaw()
	}
}
