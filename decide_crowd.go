package blaise

import "strings"

// othersWait has an idle session pause early: others wait for its place at work,
// or for the slot of its run, and are told so in the clock. A session that would
// end instead of pausing is left alone, and so is one whose agent does not want it.
func (d *decision) othersWait() error {
	c := d.find(ClockIdle, "")
	p := d.next.Policy
	if c == nil || d.next.Session.Held || p.IdleWhenOthersWait() <= 0 || d.idleEnds() {
		return d.same(VerdictVoid)
	}
	due := c.Since.Add(p.IdleWhenOthersWait())
	if !due.Before(c.DueAt) {
		if c.ForOthers() {
			return d.same(VerdictDone)
		}
		return d.same(VerdictVoid)
	}
	d.note("clock:"+string(ClockIdle), stamp(c.DueAt), stamp(due), d.e.Reason)
	c.DueAt = due
	c.Setting = p.Origin(d.next.Session.Agent, othersWaitSetting, p.IdleWhenOthersWait()) + ", for " + d.e.Reason
	d.out.Verdict = VerdictDone
	return nil
}

// othersServed gives an idle session the time back that it was to pause before.
func (d *decision) othersServed() error {
	c := d.find(ClockIdle, "")
	if c == nil || !c.ForOthers() {
		return d.same(VerdictVoid)
	}
	d.patient(c)
	d.out.Verdict = VerdictDone
	return nil
}

// patient is an idle clock that takes no account of others.
func (d *decision) patient(c *Clock) {
	due := c.Since.Add(d.length(ClockIdle))
	d.note("clock:"+string(ClockIdle), stamp(c.DueAt), stamp(due), "nobody waits for it any more")
	c.DueAt, c.Setting = due, d.settingOf(ClockIdle)
}

// idleEnds says that the idle policy would end the session.
func (d *decision) idleEnds() bool {
	p := d.next.Policy
	return p.IdleThen == ThenEnd || p.IdleCannotResume == ThenEnd && d.next.cannotResume() != ""
}

// stopForOthers is the reason of a stop that makes room.
const stopForOthers = "idle, and others wait"

// MadeRoom says that the run paused early because others waited for its place.
func (r Run) MadeRoom() bool {
	return r.Outcome == RunPaused && r.Stop != nil && r.Stop.Reason == stopForOthers
}

const othersWaitSetting = "policy.idle.whenOthersWait"

// ForOthers says that a clock was set early because others wait.
func (c Clock) ForOthers() bool {
	return c.Kind == ClockIdle && strings.HasPrefix(c.Setting, othersWaitSetting)
}
