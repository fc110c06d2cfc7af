package blaise

import (
	"cmp"
	"strings"
)

// endAsked ends the session for a person: at once if no run has to hear of it,
// else when the run has received the stop (A18).
func (d *decision) endAsked() error {
	s := &d.next
	if s.ended() {
		return Errorf(CodeRefused, "session %s has already ended: %s", s.Session.ID, s.Session.Outcome)
	}
	if err := d.notHeld(); err != nil {
		return err
	}
	reason := strings.TrimSpace(d.e.Reason)
	discard := ""
	switch {
	case d.e.Force && reason == "":
		return Errorf(CodeInvalid, "an end that may lose work needs a reason")
	case d.e.Force:
		discard = reason
	case reason == "":
		reason = "ended by " + d.e.By
	}
	if s.live() == nil || s.owesTeardown() {
		outcome := OutcomeSucceeded
		if s.Environment.State == EnvNone && s.Environment.Generation <= 1 {
			outcome = OutcomeCancelled // nothing ever ran
		}
		d.giveUpWork(discard)
		d.end(outcome, reason)
		d.out.Verdict = VerdictDone
		return nil
	}
	return d.askByPerson(Stop{Reason: reason, Ends: true, Outcome: OutcomeSucceeded, Discard: discard})
}

// giveUpWork lets the teardown go on where the work cannot be saved, because a
// person said why (X5).
func (d *decision) giveUpWork(why string) {
	if why == "" {
		return
	}
	d.next.Environment.Forced, d.next.Environment.ForcedWhy = true, why
	d.note("environment", "work is saved", "work may be lost", why)
}

// pauseAsked pauses the run for a person or a drain.
func (d *decision) pauseAsked() error {
	s := &d.next
	if err := d.notHeld(); err != nil {
		return err
	}
	if s.live() == nil || s.owesTeardown() || s.Run.State == RunStopping {
		return Errorf(CodeRefused, "session %s has no run to pause: it is %s",
			s.Session.ID, s.Session.State)
	}
	reason := d.e.Reason
	if reason == "" {
		reason = "paused by " + d.e.By
	}
	return d.askByPerson(Stop{Reason: reason, MayResume: true})
}

func (d *decision) askByPerson(stop Stop) error {
	run := d.next.live()
	if run.State == RunAccepted || !run.UnreachableSince.IsZero() {
		return Errorf(CodeUnreachable, "no run connected to receive the stop: nothing has changed").
			WithHint("try again, or: blaise lost %s", run.ID)
	}
	if out := d.next.stop(); out != nil && rank(*out.Stop) > rank(stop) {
		return Errorf(CodeRefused, "session %s is being ended: %s", d.next.Session.ID, out.Stop.Reason)
	}
	stop.By = d.e.By
	d.ask(stop)
	d.out.Verdict = VerdictPending
	return nil
}

// ask issues a stop in the place of a weaker one; an equal or stronger one
// that is on its way serves.
func (d *decision) ask(stop Stop) {
	if out := d.next.stop(); out != nil {
		if rank(*out.Stop) >= rank(stop) {
			return
		}
		d.void(out.N, "replaced by a stronger stop")
	}
	d.issue(Directive{Kind: DirectiveStop, Stop: &stop, Reason: stop.Reason})
}

// rank orders stops: an end outranks a pause, one that may lose work any other,
// and all outrank what the idle clock wants.
func rank(s Stop) int {
	switch {
	case s.Clock == string(ClockIdle):
		return 0
	case s.Discard != "":
		return 3
	case s.Ends:
		return 2
	}
	return 1
}

// stopReceived binds a stop that still stands: environment, run and, unless
// the idle clock asked, the session change in this one plan (A7).
func (d *decision) stopReceived() error {
	s := &d.next
	run := s.Run
	if run.Stop != nil && run.Stop.Directive == d.e.Directive {
		return d.same(VerdictGo) // the answer was lost
	}
	stop := s.stop()
	if stop == nil || stop.N != d.e.Directive {
		d.ignore("the stop is void")
		d.out.Verdict = VerdictVoid
		return nil
	}
	if !s.Session.Held && d.e.At.After(stop.IssuedAt.Add(StopReceipt)) {
		d.void(stop.N, "received too late")
		d.out.Verdict = VerdictVoid
		return nil
	}
	taken, _ := d.take(stop.N)
	d.confirm(*taken.Stop)
	d.out.Verdict = VerdictGo
	return nil
}

func (d *decision) confirm(stop Stop) {
	s := &d.next
	if s.Environment.State != EnvPausing {
		d.move(onStop, stop.Reason)
	}
	if s.Run.State != RunStopping {
		d.setRun(RunStopping, stop.Reason)
	}
	s.Run.Stop = &stop
	switch {
	case stop.Clock == string(ClockOpen) && s.Run.Kind == RunResume:
		s.Environment.Recreate, s.Environment.LastError = true, stop.Reason // A22
	case stop.Clock == string(ClockOpen) && s.Run.Kind == RunShell: // it pauses again
	case stop.Clock == string(ClockOpen):
		d.end(OutcomeFailed, stop.Reason)
	case stop.Ends && stop.Clock != string(ClockIdle):
		d.giveUpWork(stop.Discard)
		d.end(stop.Outcome, stop.Reason)
	}
}

// received is the receipt of any other directive: from then on it cannot be
// taken back.
func (d *decision) received() error {
	if stop := d.next.stop(); stop != nil && stop.N == d.e.Directive {
		return d.stopReceived()
	}
	if _, ok := d.take(d.e.Directive); !ok {
		return d.same(VerdictVoid)
	}
	d.out.Verdict = VerdictGo
	return nil
}

// pauseReported decides what becomes of a paused environment, and outranks
// what the stop said (A7, A10).
func (d *decision) pauseReported() error {
	s := &d.next
	if s.Environment.State == EnvTearingDown && s.Run.Stop != nil {
		return d.same(VerdictTeardown) // the answer was lost
	}
	if !d.can(onPauseExit) {
		d.ignore("no pause was asked for")
		d.out.Verdict = VerdictExit
		return nil
	}
	d.mergePlugs(d.e.Plugs)
	d.savedOrNot()
	if stop := s.stop(); stop != nil && stop.Stop.Ends && stop.Stop.Clock != string(ClockIdle) {
		d.end(stop.Stop.Outcome, stop.Stop.Reason) // an end that came during the pause
	}
	d.leaveTurn()
	if teardown, why := d.tearsDown(); teardown {
		d.out.Verdict = VerdictTeardown
		d.move(onPauseTeardown, why)
		return nil
	}
	d.out.Verdict = VerdictExit
	if why := d.next.cannotResume(); why != "" {
		d.notice("Paused although it may not resume: "+why, nil)
	} else {
		d.notice("Paused: "+cmp.Or(s.Run.stopReason(), "no reason given"), nil)
	}
	d.move(onPauseExit, s.Run.stopReason())
	d.endRun(RunPaused, s.Run.stopReason())
	return nil
}

// savedOrNot takes up what a paused run tells of its work: what could not be
// saved stands as the environment's error until a save comes (X5).
func (d *decision) savedOrNot() {
	env := &d.next.Environment
	env.Clean, env.LastError = d.e.Clean, ""
	if !d.e.Clean {
		env.LastError = cmp.Or(d.e.Reason, "the work is not saved")
	}
	d.saved()
}

// tearsDown says whether a paused environment goes, and why. It ends a session
// that cannot be resumed.
func (d *decision) tearsDown() (bool, string) {
	s := &d.next
	switch {
	case s.Session.Held:
		return false, ""
	case s.ended():
		return true, s.Session.Reason
	case s.Environment.Recreate:
		return true, s.Environment.LastError
	case s.Run.Leaves:
		s.Environment.Recreate, s.Environment.LastError = true, s.Run.stopReason()
		return true, s.Environment.LastError // nobody comes back to it: the session goes on elsewhere
	case s.first() != nil && s.Run.Ephemeral && d.next.cannotResume() != "":
		s.Environment.Recreate, s.Environment.LastError = true, d.next.cannotResume()
		return true, s.Environment.LastError // the message is answered elsewhere
	case s.first() != nil:
		return false, ""
	case s.Run.Stop != nil && s.Run.Stop.Ends:
		d.end(OutcomeSucceeded, s.Run.stopReason())
		return true, s.Run.stopReason()
	}
	why := d.next.cannotResume()
	if why == "" || s.Policy.IdleCannotResume == ThenPause {
		return false, ""
	}
	d.setting = "policy.idle.cannotResume = end " +
		s.Policy.origin(s.Session.Agent, "policy.idle.cannotResume")
	d.end(OutcomeSucceeded, "cannot be resumed: "+why)
	return true, why
}

// stopReason is why the run stops.
func (r *Run) stopReason() string {
	if r.Stop == nil {
		return r.Reason
	}
	return r.Stop.Reason
}

// leaveTurn settles the turn that a pause cut off: after a hold it goes on,
// else whoever paused has cancelled it.
func (d *decision) leaveTurn() {
	m := d.next.message(d.next.Run.Turn)
	d.next.Run.Turn = ""
	if m == nil || m.State != MessageDelivered {
		return
	}
	if d.next.Session.Held {
		d.interrupt(m, "the session was held")
		return
	}
	d.setMessage(m, MessageCancelled, d.next.Run.stopReason())
}
