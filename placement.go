package blaise

// MachineFor is the machine that the offered run must go to, false if any will
// do: an environment moves only where every one of its plugs can be reached
// (A31). What a plug made before it was open binds as well.
func (s *Snapshot) MachineFor() (MachineID, bool) {
	switch s.Environment.State {
	case EnvPaused, EnvUnattended, EnvTeardownWaiting:
	default:
		return "", false
	}
	for _, p := range s.Environment.Plugs {
		if p.Opened && !p.Unowned && p.Reach != ReachShared {
			return bound(p.Machine, s.Session.Machine)
		}
	}
	for _, r := range s.Environment.Resources {
		if !r.Gone && !s.Environment.shares(r.Plug) {
			return bound(s.Session.Machine, "")
		}
	}
	return "", false
}

func bound(machine, otherwise MachineID) (MachineID, bool) {
	if machine == "" {
		machine = otherwise
	}
	return machine, machine != ""
}

// shares says that the plug's layer can be reached from every machine.
func (e *Environment) shares(plug string) bool {
	for _, p := range e.Plugs {
		if p.ID == plug {
			return p.Unowned || p.Reach == ReachShared
		}
	}
	return false
}

// pinned is the only runner that may take a run of that kind, "" for any: what
// a runner has made can be taken up by that runner alone (A31).
func (s *Snapshot) pinned(kind RunKind) RunnerID {
	if kind == RunStart && s.Environment.State != EnvUnattended {
		return ""
	}
	return s.Session.Runner
}
