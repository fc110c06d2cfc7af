package blaise

import (
	"cmp"
	"fmt"
)

// shellAsked has the run open a terminal for a person. It holds no live session
// open: a pause ends it, and says so. A session that sleeps is opened for it by
// a run without an agent; whoever asks then waits, and asks again.
func (d *decision) shellAsked() error {
	s := &d.next
	if err := d.mayShell(); err != nil {
		return err
	}
	run := s.Run
	switch {
	case run == nil:
		d.offer(RunShell, "a shell for "+d.shellWords())
		d.notice("The session sleeps; a run without an agent opens it for "+d.e.By+".", nil)
		d.out.Verdict = VerdictPending
		return nil
	case run.State != RunConnected || s.Environment.State != EnvOpen:
		return d.same(VerdictPending)
	}
	d.issue(Directive{Kind: DirectiveShell, Key: d.e.Key})
	what := d.e.By + " opened a shell" + because(d.e.Reason)
	d.note("shell:"+d.e.Key, "", "open", what)
	d.notice(what, nil)
	d.out.Verdict = VerdictDone
	return nil
}

func (d *decision) shellWords() string { return d.e.By + because(d.e.Reason) }

// mayShell says why there can be no shell, now or soon.
func (d *decision) mayShell() error {
	s := &d.next
	if d.e.Key == "" {
		return Errorf(CodeInvalid, "the shell has no id")
	}
	if err := d.notHeld(); err != nil {
		return err
	}
	if s.Run != nil && (s.stop() != nil || s.Run.State == RunStopping) {
		return Errorf(CodeRefused, "run %s is stopping", s.Run.ID).WithHint("blaise why %s", s.Session.ID)
	}
	if why := s.noShell(); why != "" {
		return Errorf(CodeRefused, "no shell in session %s: %s", s.Session.ID, why).
			WithHint("blaise why %s; blaise restore %s --to DIR brings the saved work here",
				s.Session.ID, s.Session.ID)
	}
	return nil
}

// noShell says why there is nothing that a shell could be opened in, "" if there
// is or a run is on its way there.
func (s *Snapshot) noShell() string {
	env := s.Environment.State
	switch {
	case s.ended():
		return fmt.Sprintf("it has ended, and its environment is %s", env)
	case env == EnvOrphaned, s.owesTeardown():
		return fmt.Sprintf("its environment is %s", env)
	case s.Run != nil:
		return ""
	case s.first() != nil:
		return s.Waits(s.first().ID)
	case s.kindForMessage() != RunResume:
		return fmt.Sprintf("its environment is %s", env)
	case s.Policy.Disabled || s.Policy.Archived:
		return fmt.Sprintf("agent %s is disabled or archived", s.Session.Agent)
	}
	return ""
}

// shellOwed says that a run for a shell is offered and still has something to
// open.
func (s *Snapshot) shellOwed() bool {
	return s.Run != nil && s.Run.Kind == RunShell && s.kindForMessage() == RunResume
}

// shellClosed puts the end of one into the record. A run that was offered for a
// shell goes with the first that does not wait for it any more; who does, asks
// again.
func (d *decision) shellClosed() error {
	s := &d.next
	if s.Run != nil && s.Run.State == RunOffered && s.Run.Kind == RunShell {
		d.endRun(RunCancelled, "withdrawn: the shell of "+d.e.By+" closed: "+d.e.Reason)
	}
	what := "the shell of " + d.e.By + " closed: " + d.e.Reason
	d.note("shell:"+d.e.Key, "open", "closed", what)
	d.notice(what, nil)
	d.out.Verdict = VerdictDone
	return nil
}

// settleShell stops a run without an agent where one with an agent is wanted, or
// none at all.
func (d *decision) settleShell() {
	s := &d.next
	run := s.live()
	if run == nil || run.Kind != RunShell || run.State != RunConnected || s.owesTeardown() || s.Session.Held {
		return
	}
	switch {
	case s.first() != nil:
		d.ask(Stop{Reason: "a message waits for the agent", MayResume: true, By: "blaise"})
	case s.Policy.Archived:
		d.ask(Stop{Reason: "the agent is archived", MayResume: true, By: "blaise"})
	}
}

// shellFailed: a run for a shell failed. A person wanted to look, so all stays
// as it is, and nothing is counted.
func (d *decision) shellFailed(outcome RunOutcome) error {
	reason := cmp.Or(d.e.Reason, string(d.e.Kind))
	if d.can(onRunLost) {
		d.move(onRunLost, reason)
	}
	d.endRun(outcome, reason)
	d.out.Verdict = VerdictExit
	return nil
}
