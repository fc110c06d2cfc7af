package blaise

import "time"

// runBack takes a lost run back whose place no other has taken (X2).
func (d *decision) runBack() error {
	s := &d.next
	if run := s.live(); run != nil && run.ID == d.e.Run {
		return d.same(VerdictGo)
	}
	on, ok := d.backTo()
	if !ok {
		return Errorf(CodeStale, "run %s has lost its lease: stop now", d.e.Run)
	}
	if s.Run != nil {
		d.endRun(RunCancelled, "withdrawn: the run before is back")
	}
	run := *s.Last
	d.move(on, "run "+string(run.ID)+" is back")
	run.State, run.Outcome, run.Reason = RunConnected, "", ""
	run.EndedAt, run.UnreachableSince = time.Time{}, time.Time{}
	if on == onBackStopping {
		run.State = RunStopping
		s.Environment.Teardowns = max(0, s.Environment.Teardowns-1)
	}
	s.Run, s.Last = &run, nil
	d.restoreTurn()
	s.Session.Failures = max(0, s.Session.Failures-1)
	d.note("run:"+string(run.ID), string(RunEnded), string(run.State),
		"back before a successor was accepted")
	d.out.Verdict = VerdictGo
	return nil
}

// backTo is the move that takes a lost run's environment back, false if the
// run cannot be taken back. Where the run was is inferred: one that is still
// opening reports opened again, and that is taken twice.
func (d *decision) backTo() (EnvironmentEvent, bool) {
	s := &d.next
	last := s.Last
	if last == nil || last.ID != d.e.Run || last.Outcome != RunLost || last.Declared || last.ConnectedAt.IsZero() ||
		s.live() != nil || s.Session.Held {
		return "", false
	}
	on := onBackOpen
	switch {
	case last.Stop != nil || last.Kind == RunTeardown:
		on = onBackStopping
	case s.ended():
		return "", false
	case !s.Environment.EverOpen:
		on = onBackOpening
	}
	return on, d.can(on)
}

// restoreTurn opens the turn again that was interrupted when the run was
// declared lost: nobody else has written its prompt since.
func (d *decision) restoreTurn() {
	run := d.next.Run
	m := d.next.message(run.Turn)
	if m == nil || m.State != MessageInterrupted || run.State == RunStopping {
		run.Turn = ""
		return
	}
	d.setMessage(m, MessageDelivered, "")
	m.Run, m.Resume = run.ID, false
	d.armSilence()
}
