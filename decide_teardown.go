package blaise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// plugFailed: a plug's Open failed. On a resume the environment is broken and
// made anew for the waiting message (A22); on a start the session fails (A23).
func (d *decision) plugFailed() error {
	s := &d.next
	if s.Run.Kind == RunShell {
		return d.shellFailed(RunFailed)
	}
	if s.Environment.State == EnvResuming && !s.Session.Held {
		reason := cmp.Or(d.e.Reason, "a plug could not be opened")
		s.Environment.LastError, s.Environment.Recreate = reason, true
		d.tearDown(onPlugFailed, RunFailed, reason)
		return nil
	}
	return d.goDown(onPlugFailed, RunFailed, OutcomeFailed)
}

// runFailed: the run failed in any other way; it tears down what it can (A23).
func (d *decision) runFailed() error {
	return d.goDown(onRunFailed, RunFailed, OutcomeFailed)
}

// signalled: INT or TERM; the run saves, and tears down (A20).
func (d *decision) signalled() error {
	return d.goDown(onSignalled, RunCancelled, OutcomeCancelled)
}

// goDown ends session and run, with a teardown in the run's own process if it
// has touched the environment.
func (d *decision) goDown(on EnvironmentEvent, run RunOutcome, outcome Outcome) error {
	s := &d.next
	reason := cmp.Or(d.e.Reason, string(on))
	d.out.Verdict = VerdictExit
	switch {
	case s.Run.Kind == RunShell && !s.ended() && !s.owesTeardown():
		return d.shellFailed(run)
	case s.Environment.State == EnvTearingDown && run == RunCancelled,
		s.Environment.State == EnvTearingDown && s.Run.Outcome == run:
		d.ignore("the run tears down already")
		d.out.Verdict = VerdictTeardown
	case s.owesTeardown():
		d.tryFailed(run, onTeardownFailed, onTeardownLast, reason)
	case s.Session.Held:
		d.freeze(run, outcome, reason)
	case !d.can(on) && d.can(onRunLost):
		d.ignore("no row for " + string(on))
	case !d.can(on): // it was accepted, and has touched nothing
		d.end(outcome, reason)
		d.endRun(run, reason)
	default:
		d.end(outcome, reason)
		d.tearDown(on, run, reason)
	}
	return nil
}

// tearDown lets the run destroy in its own process. The run's outcome stands
// from now on.
func (d *decision) tearDown(on EnvironmentEvent, outcome RunOutcome, reason string) {
	d.move(on, reason)
	if !d.next.ended() {
		d.breakTurn(reason)
	}
	if d.next.Run.State != RunStopping {
		d.setRun(RunStopping, reason)
	}
	d.next.Run.Outcome, d.next.Run.Reason, d.next.Run.Turn = outcome, reason, ""
	d.out.Verdict = VerdictTeardown
}

// freeze ends the run of a held session and leaves everything as it is (B11).
func (d *decision) freeze(run RunOutcome, outcome Outcome, reason string) {
	if d.can(onRunLost) {
		d.move(onRunLost, reason+" (held: no teardown)")
	}
	if outcome == OutcomeFailed {
		d.end(outcome, reason)
	} else {
		d.breakTurn(reason)
	}
	d.endRun(run, reason)
}

// destroyed: a teardown has succeeded; nothing is left.
func (d *decision) destroyed() error {
	s := &d.next
	d.out.Verdict = VerdictExit
	if s.Environment.State != EnvTearingDown {
		d.ignore("no teardown was asked for")
		return nil
	}
	d.saved()
	run := s.Run
	outcome, reason := run.Outcome, cmp.Or(run.Reason, run.stopReason())
	switch {
	case outcome != "":
	case run.Kind == RunTeardown:
		outcome = RunCompleted
	default:
		outcome = RunTornDown
	}
	d.move(onDestroyed, cmp.Or(d.e.Reason, s.Session.Reason))
	d.allGone()
	s.Environment.DestroyWhy = cmp.Or(s.Session.Reason, s.Environment.LastError, reason)
	d.endRun(outcome, reason)
	return nil
}

// allGone marks all as gone but what is owned by nothing: that was not looked
// for.
func (d *decision) allGone() {
	env := &d.next.Environment
	for i, r := range env.Resources {
		unowned := slices.ContainsFunc(env.Plugs, func(p PlugRecord) bool { return p.ID == r.Plug && p.Unowned })
		env.Resources[i].Gone = r.Gone || !unowned
	}
}

// teardownFailed: it is tried again after a growing delay, then given up
// (A19). The session's outcome stays what it is.
func (d *decision) teardownFailed() error {
	d.out.Verdict = VerdictExit
	if d.next.Environment.State != EnvTearingDown {
		d.ignore("no teardown was asked for")
		return nil
	}
	d.saved()
	outcome := firstRun(d.next.Run.Outcome, RunFailed)
	d.tryFailed(outcome, onTeardownFailed, onTeardownLast, cmp.Or(d.e.Reason, "no reason given"))
	return nil
}

func firstRun(outcomes ...RunOutcome) RunOutcome {
	for _, o := range outcomes {
		if o != "" {
			return o
		}
	}
	return ""
}

// tryFailed counts a failed try of a teardown and sets the clock of the next.
func (d *decision) tryFailed(outcome RunOutcome, on, onLast EnvironmentEvent, reason string) {
	env := &d.next.Environment
	env.Teardowns++
	env.LastError = reason
	waits := d.next.Policy.TeardownWaits()
	last := env.Teardowns > len(waits)
	switch {
	case last:
		d.move(onLast, reason)
	case env.State == EnvTearingDown:
		d.move(on, reason)
	}
	d.endRun(outcome, reason)
	if last {
		return
	}
	delay := waits[env.Teardowns-1]
	setting := fmt.Sprintf("policy.teardownRetry: try %d of %d, after %s %s", env.Teardowns+1,
		len(waits)+1, delay, d.next.Policy.origin(d.next.Session.Agent, "policy.teardownRetry"))
	d.run(Clock{
		Kind: ClockTeardown, Subject: string(env.ID), Since: d.e.At, DueAt: d.e.At.Add(delay),
		Setting: setting,
	})
}

// teardownRetry begins a full new series of tries (A19).
func (d *decision) teardownRetry() error {
	s := &d.next
	env := &s.Environment
	if err := d.notHeld(); err != nil {
		return err
	}
	if d.e.Force && strings.TrimSpace(d.e.Reason) == "" {
		return Errorf(CodeInvalid, "a teardown without saving the work needs a reason")
	}
	switch {
	case env.State == EnvOrphaned:
		d.move(onRetry, d.e.Reason)
	case env.State == EnvTeardownWaiting:
		env.Teardowns = 0
		d.drop(ClockTeardown)
		d.note("environment", string(env.State), string(env.State), "a new series of tries")
	default:
		return Errorf(CodeRefused, "the environment of session %s waits for no teardown: it is %s",
			s.Session.ID, env.State)
	}
	if d.e.Force {
		d.giveUpWork(d.e.Reason)
	}
	d.out.Verdict = VerdictDone
	return nil
}

// markDestroyed is a person's word that nothing is left.
func (d *decision) markDestroyed() error {
	env := &d.next.Environment
	reason := strings.TrimSpace(d.e.Reason)
	if reason == "" {
		return Errorf(CodeInvalid, "marking an environment destroyed needs a reason")
	}
	for _, id := range d.e.Earlier { // the caller writes them, with this
		d.note("environment:"+string(id), "left behind", string(EnvDestroyed), reason)
	}
	switch {
	case env.State.Final() && env.LeftBehind() != "":
		env.disown()
		d.note("environment", string(env.State), string(env.State), "records that nothing owns are gone: "+reason)
		d.out.Verdict = VerdictDone
		return nil
	case len(d.e.Earlier) > 0 && !d.can(onMarkDestroyed):
		d.out.Verdict = VerdictDone
		return nil
	case !d.can(onMarkDestroyed):
		return Errorf(CodeRefused, "the environment is %s: only one that is orphaned or lost, or has "+
			"records that nothing owns, can be marked destroyed", env.State)
	case d.next.live() != nil:
		return Errorf(CodeRefused, "run %s is making another environment", d.next.Run.ID)
	}
	d.move(onMarkDestroyed, reason)
	env.disown()
	env.DestroyWhy = reason
	d.out.Verdict = VerdictDone
	return nil
}
