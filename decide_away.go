package blaise

import "time"

// early says until when a clock that is due has to wait all the same: it fell
// due while Blaise was away (down, asleep, frozen), and nobody who might have
// overtaken it could be heard (X2).
func (d *decision) early(c Clock) (time.Time, bool) {
	serving := d.e.Serving
	if !c.Since.Before(serving) {
		return time.Time{}, false
	}
	switch c.Kind {
	case ClockReceipt, ClockTeardown, ClockRetry: // these wait for nobody
		return time.Time{}, false
	case ClockLost, ClockConnect, ClockSilenceWarn, ClockStalled:
		// These judge a silence that Blaise itself was not there to hear.
		until := serving.Add(d.length(c.Kind))
		return until, c.DueAt.Before(until)
	}
	reach := d.next.Policy.Reach()
	until := serving.Add(reach)
	room := reach / 10
	if !c.DueAt.Before(until.Add(-room)) {
		return time.Time{}, false
	}
	// What fell due first fires first: the later, the nearer to the end.
	return until.Add(-min(until.Sub(c.DueAt)/1e6, room)), true
}

// wait lets a clock fire later, and says why. It begins later too: its length is
// what a beat or a clock that is set back gives it anew.
func (d *decision) wait(c *Clock, until time.Time) error {
	d.setting = c.Setting
	d.note("clock:"+string(c.Kind), stamp(c.DueAt), stamp(until),
		"Blaise was away until "+stamp(d.e.Serving)+": what it waits for gets the time to be heard")
	c.Since, c.DueAt = c.Since.Add(until.Sub(c.DueAt)), until
	return d.same(VerdictVoid)
}

// clockSetBack: the clock of Blaise's machine went back, because it was wrong.
// What began in what is the future now begins now: nothing waits for the wrong
// time to come again, and nothing fires before its length is over.
func (d *decision) clockSetBack() error {
	s := &d.next
	for i := range s.Clocks {
		c := &s.Clocks[i]
		ahead := c.Since.Sub(d.e.At)
		if ahead <= 0 {
			continue
		}
		was := c.DueAt
		c.Since, c.DueAt = c.Since.Add(-ahead), c.DueAt.Add(-ahead)
		d.setting = c.Setting
		d.note("clock:"+string(c.Kind), stamp(was), stamp(c.DueAt), "the clock of Blaise's machine was set back")
	}
	d.setting = ""
	if s.Session.HeldSince.After(d.e.At) {
		s.Session.HeldSince = d.e.At
	}
	if r := s.Run; r != nil && r.State == RunOffered && r.OfferedAt.After(d.e.At) {
		r.OfferedAt = d.e.At // or all that are offered from now on go before it
	}
	return d.same(VerdictDone)
}
