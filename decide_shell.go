package blaise

// shellAsked has the run open a terminal for a person. It holds no session
// open: a pause ends it, and says so.
func (d *decision) shellAsked() error {
	s := &d.next
	run := s.live()
	if s.ended() || run == nil || run.State != RunConnected || s.Environment.State != EnvOpen {
		return Errorf(CodeRefused, "session %s has no run with its layers open: its environment is %s",
			s.Session.ID, s.Environment.State).
			WithHint("blaise say %s TEXT opens it; blaise restore %s --to DIR brings the saved work here",
				s.Session.ID, s.Session.ID)
	}
	switch {
	case d.e.Key == "":
		return Errorf(CodeInvalid, "the shell has no id")
	case run.Stop != nil:
		return Errorf(CodeRefused, "run %s is stopping", run.ID).WithHint("blaise why %s", s.Session.ID)
	}
	d.issue(Directive{Kind: DirectiveShell, Key: d.e.Key})
	what := d.e.By + " opened a shell"
	if d.e.Reason != "" {
		what += ": " + d.e.Reason
	}
	d.note("shell:"+d.e.Key, "", "open", what)
	d.notice(what, nil)
	d.out.Verdict = VerdictDone
	return nil
}

// shellClosed puts the end of one into the record.
func (d *decision) shellClosed() error {
	what := "the shell of " + d.e.By + " closed: " + d.e.Reason
	d.note("shell:"+d.e.Key, "open", "closed", what)
	d.notice(what, nil)
	d.out.Verdict = VerdictDone
	return nil
}
