package blaise

import (
	"cmp"
	"fmt"
)

// loseRun gives the run up: its environment is unattended, its turn broke off,
// and another run may follow (A8, A24).
func (d *decision) loseRun(reason string) {
	s := &d.next
	if s.live() == nil {
		return
	}
	if s.owesTeardown() {
		d.tryFailed(RunLost, onRunLost, onRunLostLast, "run lost: "+reason)
		return
	}
	if d.can(onRunLost) {
		d.move(onRunLost, reason)
	}
	s.Environment.Recreate = s.Environment.Recreate && !s.Environment.EverOpen &&
		s.Environment.Generation > 1 // of a renewed one: its notice is still owed
	d.breakTurn("run lost: " + reason)
	kind := s.Run.Kind
	d.endRun(RunLost, reason)
	if kind != RunShell { // it had no message to answer
		d.countFailure(reason)
	}
}

// breakTurn interrupts what the run was delivered.
func (d *decision) breakTurn(reason string) {
	for i := range d.next.Messages {
		if m := &d.next.Messages[i]; m.State == MessageDelivered {
			d.interrupt(m, reason)
		}
	}
}

// countFailure counts runs lost or refused in a row; after too many the
// session fails and is torn down (A24).
func (d *decision) countFailure(reason string) {
	s := &d.next
	s.Session.Failures++
	if s.Session.Failures < maxFailures || s.ended() {
		return
	}
	d.end(OutcomeFailed,
		fmt.Sprintf("%d runs in a row were lost or refused, the last: %s", s.Session.Failures, reason))
	if d.can(onGaveUp) {
		d.move(onGaveUp, s.Session.Reason)
	}
}

// spawnFailed: the runner could not start the process of an accepted run; the
// next is offered after a delay, without waiting for any timeout (A25).
func (d *decision) spawnFailed() error {
	s := &d.next
	d.out.Verdict = VerdictExit
	if s.Run.State != RunAccepted {
		d.ignore("the run has connected")
		return nil
	}
	reason := "its process could not be started: " + d.e.Reason
	if s.owesTeardown() {
		d.tryFailed(RunFailed, onRunLost, onRunLostLast, reason)
		return nil
	}
	if s.Run.Kind == RunShell {
		return d.shellFailed(RunFailed)
	}
	delay := spawnDelays[min(s.Session.SpawnFails, len(spawnDelays)-1)]
	s.Session.SpawnFails++
	d.endRun(RunFailed, reason)
	d.run(Clock{
		Kind: ClockRetry, Since: d.e.At, DueAt: d.e.At.Add(delay),
		Setting: "retry of a run whose process did not start = " + delay.String() + " (fixed)",
	})
	d.countFailure(reason)
	return nil
}

// refused: the run ended before any plug opened; nothing was touched, and the
// message waits for the next one, or for a person (A22).
func (d *decision) refused() error {
	s := &d.next
	d.out.Verdict = VerdictExit
	d.mergePlugs(d.e.Plugs) // what it opened and closed again
	reason := cmp.Or(d.e.Reason, "no reason given")
	switch {
	case s.owesTeardown():
		d.tryFailed(RunRefused, onTeardownFailed, onTeardownLast, reason)
		return nil
	case s.Run.State == RunAccepted: // its environment has not moved
	case s.Environment.State == EnvCreating && s.Environment.holds():
		d.move(onRefusedRemains, reason)
	case !d.can(onRefused):
		d.ignore("its plugs have been opened")
		return nil
	default:
		d.move(onRefused, reason)
	}
	d.breakTurn("run refused: " + reason)
	kind := s.Run.Kind
	d.endRun(RunRefused, reason)
	if kind == RunShell {
		return nil // no message was its own
	}
	prefix := refusedPrefix
	if d.e.Chosen {
		prefix = chosenPrefix
	}
	for i := range s.Messages {
		if m := &s.Messages[i]; m.deliverable() {
			m.Reason = prefix + reason
		}
	}
	if !d.e.Chosen { // else the message waits for what it asks, and no runner is at fault
		d.countFailure(reason)
	}
	return nil
}

// holds says that something of the environment may exist.
func (e *Environment) holds() bool {
	for _, p := range e.Plugs {
		if p.Opened {
			return true
		}
	}
	for _, r := range e.Resources {
		if !r.Gone {
			return true
		}
	}
	return false
}

// lostContact: the run could not reach Blaise, paused by itself and says so
// now (A26).
func (d *decision) lostContact() error {
	d.saved()
	d.loseRun(cmp.Or(d.e.Reason, "Lost contact with Blaise"))
	d.out.Verdict = VerdictExit
	return nil
}

// lastWords takes what a lost run saved before it stopped itself, as long as
// nobody has touched its environment since.
func (d *decision) lastWords() {
	s := &d.next
	last := s.Last
	if last != nil && last.ID == d.e.Run {
		d.compared(last)
	}
	if (d.e.Kind == EventLostContact || d.e.Kind == EventLocalStop) && last != nil && last.ID == d.e.Run &&
		s.live() == nil && s.Environment.State == EnvUnattended {
		d.saved()
	}
}

// runDead: the instance has proved that the run and all it started are gone.
func (d *decision) runDead() error {
	d.loseRun(cmp.Or(d.e.Reason, "its process died"))
	d.out.Verdict = VerdictExit
	return nil
}

// lostDeclared is a person's word that the run is gone (X2).
func (d *decision) lostDeclared() error {
	run := d.next.live()
	if run == nil || run.ID != d.e.Run {
		return Errorf(CodeRefused, "run %s is not alive", d.e.Run)
	}
	run.Declared = true
	d.loseRun("declared lost by " + d.e.By + because(d.e.Reason))
	d.out.Verdict = VerdictDone
	return nil
}

// because is a reason behind the words it belongs to, "" for none.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}
