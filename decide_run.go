package blaise

import (
	"cmp"
	"slices"
	"strings"
)

// accepted gives the offered run to the instance that took it first.
func (d *decision) accepted() error {
	s := &d.next
	run := s.Run
	if run == nil || run.ID != d.e.Run {
		return Errorf(CodeRefused, "run %s is not offered", d.e.Run)
	}
	if run.State != RunOffered {
		if run.Instance == d.e.Instance && run.State == RunAccepted {
			return d.same(VerdictGo) // the answer was lost
		}
		return Errorf(CodeRefused, "run %s was taken by %s", run.ID, run.Instance)
	}
	machine, pinned := s.MachineFor()
	switch {
	case run.Runner != "" && run.Runner != d.e.Runner:
		return Errorf(CodeRefused, "run %s is offered to runner %s alone", run.ID, run.Runner)
	case pinned && machine != d.e.Machine:
		return Errorf(CodeRefused, "run %s needs machine %s, where its environment is", run.ID, machine)
	case run.Kind.HasAgent() && s.Policy.Concurrency > 0 && d.e.AtWork >= s.Policy.Concurrency:
		return Errorf(CodeRefused, "run %s waits: agent %s has %s at work, and may have %d",
			run.ID, s.Session.Agent, Count(d.e.AtWork, "run"), s.Policy.Concurrency)
	}
	d.setRun(RunAccepted, "taken by "+string(d.e.Instance))
	run.Runner, run.Instance, run.Machine, run.Boot = d.e.Runner, d.e.Instance, d.e.Machine, d.e.Boot
	run.AcceptedAt, run.Ephemeral, run.Leaves = d.e.At, d.e.Ephemeral, d.e.Leaves
	d.out.Verdict = VerdictGo
	return nil
}

// connected is the first word of the run's process.
func (d *decision) connected() error {
	s := &d.next
	if s.Run.State != RunAccepted {
		return d.same(VerdictGo)
	}
	on := map[RunKind]EnvironmentEvent{
		RunStart: onConnectedStart, RunResume: onConnectedResume, RunTeardown: onConnectedTeardown,
		RunShell: onConnectedResume,
	}[s.Run.Kind]
	if !d.can(on) {
		d.move(on, "") // records that there is no row
		d.endRun(RunCancelled, "its environment is "+string(s.Environment.State))
		d.out.Verdict = VerdictExit
		return nil
	}
	if s.Environment.State == EnvDestroyed || s.Environment.State == EnvLost {
		d.renew()
	}
	d.move(on, "run "+string(s.Run.ID))
	d.setRun(RunConnected, "")
	s.Run.ConnectedAt = d.e.At
	s.Session.Runner, s.Session.Instance = s.Run.Runner, s.Run.Instance
	s.Session.Machine, s.Session.SpawnFails = s.Run.Machine, 0
	d.out.Verdict = VerdictGo
	return nil
}

// AtConnect is the snapshot that the run which was just accepted will work in: a
// start after a destroyed or lost environment has nothing of that one (A22, A31).
func (s Snapshot) AtConnect() Snapshot {
	env := s.Environment.State
	if s.Run == nil || s.Run.Kind != RunStart || env != EnvDestroyed && env != EnvLost {
		return s
	}
	d := &decision{next: s.clone()}
	d.renew()
	return d.next
}

// renew begins the next generation of the environment. The conversation went
// with the old one.
func (d *decision) renew() {
	s := &d.next
	old := s.Environment
	why := cmp.Or(old.LastError, old.DestroyWhy)
	if old.State == EnvLost {
		why = cmp.Or(old.LastError, "its runner was revoked")
	}
	s.Environment = Environment{
		ID: s.Session.ID.Environment(old.Generation + 1), State: old.State,
		Generation: old.Generation + 1, Recreate: true, LastError: why,
	}
	s.Session.Conversation, s.Session.Context = Conversation{}, ""
}

// opened: the environment is there, and the agent has a conversation in it.
func (d *decision) opened() error {
	s := &d.next
	env := &s.Environment
	d.out.Verdict = VerdictDone
	if env.State == EnvOpen {
		d.mergePlugs(d.e.Plugs) // the answer was lost, or the run came back
		return nil
	}
	if !d.can(onOpened) {
		d.ignore("the run stops")
		return nil
	}
	d.move(onOpened, "")
	d.mergePlugs(d.e.Plugs)
	if env.Recreate {
		d.noticeRecreated()
	}
	if s.Run.Kind == RunResume {
		d.notice("Resumed.", nil)
	}
	env.EverOpen, env.Clean, env.Recreate = true, false, false
	env.LastError = ""
	return d.takeConversation()
}

func (d *decision) noticeRecreated() {
	s := &d.next
	from := "from base"
	if s.Save.N > 0 {
		from = "from the last saved work, " + s.Save.Ref
	}
	text := "The environment was recreated, " + from + "; the agent begins a new conversation."
	if why := s.Environment.LastError; why != "" {
		text += " Why: " + why
	}
	d.notice(text, map[string]any{"generation": s.Environment.Generation, "ref": s.Save.Ref})
}

func (d *decision) plugRecorded() error {
	d.mergePlugs(d.e.Plugs)
	d.out.Verdict = VerdictDone
	return nil
}

// resourceIntended enters a thing in the ledger before it is made (X4).
func (d *decision) resourceIntended() error {
	if d.e.Resource == nil {
		return Errorf(CodeInvalid, "a resource is missing")
	}
	r := *d.e.Resource
	r.Gone = false
	if r.Kind == ResourceWorktree {
		d.next.Session.Repo = cmp.Or(r.From, strings.TrimSuffix(r.Where, "/.git"))
	}
	d.out.Verdict = VerdictDone
	if known := d.resource(r); known != nil {
		*known = r
		return nil
	}
	d.next.Environment.Resources = append(d.next.Environment.Resources, r)
	return nil
}

// resourceGone notes that a probe has found a thing absent.
func (d *decision) resourceGone() error {
	if d.e.Resource == nil {
		return Errorf(CodeInvalid, "a resource is missing")
	}
	if known := d.resource(*d.e.Resource); known != nil {
		known.Gone = true
	}
	d.out.Verdict = VerdictDone
	return nil
}

func (d *decision) resource(r Resource) *Resource {
	all := d.next.Environment.Resources
	i := slices.IndexFunc(all, func(x Resource) bool {
		return x.Plug == r.Plug && x.Kind == r.Kind && x.Name == r.Name && x.Where == r.Where
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

func (d *decision) workSaved() error {
	d.saved()
	d.out.Verdict = VerdictDone
	return nil
}

func (d *decision) conversation() error {
	d.out.Verdict = VerdictDone
	return d.takeConversation()
}

// takeConversation keeps what is needed to load the conversation again (A13),
// and how much of it the agent has (X6).
func (d *decision) takeConversation() error {
	s := &d.next.Session
	if c := d.e.Conversation; c != nil {
		s.Conversation = *c
		s.Conversation.Generation = d.next.Environment.Generation
	}
	d.settingsTaken()
	if d.e.Context != "" && d.e.Context != s.Context {
		d.note("session", "context "+string(s.Context), "context "+string(d.e.Context), d.e.Reason)
		s.Context = d.e.Context
	}
	return nil
}
