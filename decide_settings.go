package blaise

import "maps"

// settingsChosen is a person who chooses a mode, a model, an option. The run
// that is alive is told, and sets it between two turns; else the next run does.
// An empty value takes the choice back.
func (d *decision) settingsChosen() error {
	s := &d.next
	switch {
	case s.ended():
		return Errorf(CodeRefused, "session %s has ended: %s", s.Session.ID, s.Session.Reason).
			WithHint("%s", GoOnHint(s.Session.ID, s.Session.Saves, s.Environment.State))
	case len(d.e.Set) == 0:
		return Errorf(CodeInvalid, "nothing is chosen")
	}
	s.Session.Wanted = merged(s.Session.Wanted, d.e.Set)
	for id, value := range d.e.Set {
		d.note("setting:"+id, s.Session.Conversation.Settings[id], value, d.e.Reason)
	}
	if run := s.live(); run != nil && run.State != RunStopping {
		d.issue(Directive{Kind: DirectiveSet, Set: maps.Clone(d.e.Set)})
	}
	d.out.Verdict = VerdictDone
	return nil
}

// merged is kept with what set changes; an empty value forgets.
func merged(kept, set map[string]string) map[string]string {
	all := maps.Clone(kept)
	if all == nil {
		all = map[string]string{}
	}
	for id, value := range set {
		if value == "" {
			delete(all, id)
			continue
		}
		all[id] = value
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// settingsTaken forgets the choices that the agent has taken.
func (d *decision) settingsTaken() {
	s := &d.next.Session
	done := map[string]string{}
	for id, value := range d.e.Set {
		if s.Wanted[id] == value {
			done[id] = ""
		}
	}
	s.Wanted = merged(s.Wanted, done)
}
