package daemon

import (
	"context"
	"time"

	"blaise.dev/blaise"
)

// A link tries calls while Blaise is away.
type link struct {
	d    *Daemon
	away time.Time // zero while Blaise answers
}

func (l *link) try(ctx context.Context, call func(context.Context) error) error {
	for {
		err := call(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			l.back()
			return nil
		}
		if settled(err) && !l.hold(err) {
			return err
		}
		l.lost(err)
		if n, _, _ := l.d.live(); l.d.c.Once && n == 0 && time.Since(l.away) > l.d.c.GiveUp {
			return blaise.Errorf(blaise.CodeUnreachable, "no contact with Blaise at %s for %s: %v",
				l.d.c.URL, l.d.c.GiveUp, err)
		}
		if err := pause(ctx, time.Since(l.away)); err != nil {
			return err
		}
	}
}

// hold says whether a refusal is waited out: a token that was replaced is read
// again, and runs with good leases are not left alone.
func (l *link) hold(err error) bool {
	if blaise.CodeOf(err) != blaise.CodeDenied {
		return false
	}
	before := l.d.tokenNow()
	if l.d.read() != nil || l.d.tokenNow() == before {
		n, _, _ := l.d.live()
		return n > 0
	}
	return true
}

func (l *link) lost(err error) {
	l.tell(err.Error())
	if l.away.IsZero() {
		l.away = time.Now()
		l.d.log.Warn("no contact with Blaise, trying on", "url", l.d.c.URL, "error", err)
	}
}

func (l *link) back() {
	l.tell("")
	if !l.away.IsZero() {
		l.d.log.Info("contact with Blaise again", "outage", time.Since(l.away).Round(time.Second))
		l.away = time.Time{}
	}
}

// isAway says that Blaise did not answer the last call.
func (d *Daemon) isAway() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trouble != ""
}

// tell keeps for the status what the last call said.
func (l *link) tell(trouble string) {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.d.trouble = trouble
	if trouble == "" {
		l.d.contact = time.Now()
	}
}
