package blaise

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// policyChanged moves the clocks that run by the policy, at once and with no
// runner restarted (A9). Disabling and archiving are settled (A27).
func (d *decision) policyChanged() error {
	if d.e.Policy == nil {
		return Errorf(CodeInvalid, "a policy is missing")
	}
	s := &d.next
	s.Policy = *d.e.Policy
	d.note("session", "policy", fmt.Sprintf("policy revision %d", s.Policy.Revision), d.e.Reason)
	var clocks []Clock
	for _, c := range s.Clocks {
		if c, ok := d.moved(c); ok {
			clocks = append(clocks, c)
		}
	}
	s.Clocks = clocks
	if run := s.live(); run != nil && run.Turn != "" && !s.asked() {
		for _, kind := range []ClockKind{ClockSilenceWarn, ClockStalled} {
			if s.clock(kind) == nil { // switched on, or fired already: the watch begins anew
				d.arm(kind, string(run.ID), d.e.At)
			}
		}
	}
	d.out.Verdict = VerdictDone
	return nil
}

// moved gives a clock the length it has under the policy, false if it runs no
// more.
func (d *decision) moved(c Clock) (Clock, bool) {
	switch c.Kind {
	case ClockTeardown, ClockRetry, ClockReceipt, ClockDrain:
		return c, true // fixed
	}
	length := d.length(c.Kind)
	if length < 0 {
		return c, false
	}
	was := c.DueAt
	c.DueAt, c.Setting = c.Since.Add(length), d.settingOf(c.Kind)
	if !was.Equal(c.DueAt) {
		d.setting = c.Setting
		d.note("clock:"+string(c.Kind), stamp(was), stamp(c.DueAt), "the policy has changed")
		d.setting = ""
	}
	return c, true
}

// held freezes the session: no clock, no offer, no teardown, and a live run is
// stopped so that it can be resumed (B11).
func (d *decision) held() error {
	s := &d.next
	if s.Session.Held {
		return Errorf(CodeRefused, "session %s is held already", s.Session.ID)
	}
	s.Session.Held, s.Session.HeldSince = true, d.e.At
	reason := "held by " + d.e.By + because(d.e.Reason)
	d.note("session", string(s.Session.State), "held", reason)
	if stop := s.stop(); stop != nil {
		d.void(stop.N, reason)
	}
	if run := s.live(); run != nil && run.State != RunStopping && !s.owesTeardown() {
		d.ask(Stop{Reason: reason, MayResume: true, By: d.e.By})
	}
	d.out.Verdict = VerdictDone
	return nil
}

// released gives every clock the time back that the hold took.
func (d *decision) released() error {
	s := &d.next
	if !s.Session.Held {
		return Errorf(CodeRefused, "session %s is not held", s.Session.ID)
	}
	since := s.Session.HeldSince
	s.Session.Held, s.Session.HeldSince = false, time.Time{}
	d.note("session", "held", string(s.Session.State), cmp.Or(d.e.Reason, "released by "+d.e.By))
	for i := range s.Clocks {
		c := &s.Clocks[i]
		gap := max(0, d.e.At.Sub(c.stoodFrom(since)))
		c.Since, c.DueAt = c.Since.Add(gap), c.DueAt.Add(gap)
	}
	if stop := s.stop(); stop != nil {
		d.void(stop.N, "released before it was received")
	}
	d.out.Verdict = VerdictDone
	return nil
}

// revoked: the runner's token is void. What it ran is lost, and another runner
// begins afresh (A31).
func (d *decision) revoked() error {
	s := &d.next
	reason := "runner " + string(d.e.Runner) + " was revoked" + because(d.e.Reason)
	run := s.live()
	runs := run != nil && run.Runner == d.e.Runner
	if strings.TrimSpace(string(d.e.Runner)) == "" || !runs && s.Session.Runner != d.e.Runner {
		return d.same(VerdictNone)
	}
	if (runs || run == nil) && d.can(onRevoked) {
		d.move(onRevoked, reason)
		s.Environment.LastError = reason
	}
	if runs {
		d.breakTurn(reason)
		d.endRun(RunLost, reason)
	}
	if s.Session.Runner == d.e.Runner {
		s.Session.Runner, s.Session.Instance, s.Session.Machine = "", "", ""
	}
	d.out.Verdict = VerdictDone
	return nil
}
