package blaise

import "slices"

// The changes that decisions are made of. Each notes what it does.

func (d *decision) setMessage(m *Message, to MessageState, reason string) {
	d.note("message:"+string(m.ID), string(m.State), string(to), reason)
	m.State, m.Reason = to, reason
	if m.State == MessageAnswered {
		m.AnsweredAt = d.e.At
	}
}

func (d *decision) setQuestion(q *Question, to QuestionState, reason string) {
	d.note("question:"+string(q.ID), string(q.State), string(to), reason)
	q.State, q.Reason = to, reason
}

func (d *decision) setRun(to RunState, reason string) {
	run := d.next.Run
	d.note("run:"+string(run.ID), string(run.State), string(to), reason)
	run.State = to
}

// end ends the session; a second end changes nothing, and no teardown changes
// an outcome. What must follow is settled.
func (d *decision) end(outcome Outcome, reason string) {
	s := &d.next.Session
	if d.next.ended() {
		return
	}
	d.note("session", string(s.State), string(SessionEnded), string(outcome)+": "+reason)
	s.State, s.Outcome, s.Reason, s.EndedAt = SessionEnded, outcome, reason, d.e.At
}

// endRun ends the run. Whoever calls it has moved the environment.
func (d *decision) endRun(outcome RunOutcome, reason string) {
	run := *d.next.Run
	d.note("run:"+string(run.ID), string(run.State), string(RunEnded), string(outcome)+": "+reason)
	run.State, run.Outcome, run.Reason, run.EndedAt = RunEnded, outcome, reason, d.e.At
	d.out.Ended.Runs = append(d.out.Ended.Runs, run)
	d.next.Run = nil
	if !run.AcceptedAt.IsZero() {
		d.next.Last = &run
	}
}

// issue tells the live run something, as a row.
func (d *decision) issue(dir Directive) {
	s := &d.next
	s.Session.Directives++
	dir.N, dir.Run, dir.IssuedAt = s.Session.Directives, s.Run.ID, d.e.At
	if dir.Stop != nil {
		stop := *dir.Stop
		stop.Directive, stop.Leaves = dir.N, s.Run.Leaves
		dir.Stop = &stop
		d.note("run:"+string(s.Run.ID), string(s.Run.State), string(s.Run.State),
			"stop asked: "+stop.Reason)
	}
	s.Directives = append(s.Directives, dir)
	d.out.Issue = append(d.out.Issue, dir)
}

// void takes a directive back that the run has not received.
func (d *decision) void(n int64, why string) {
	dir, ok := d.take(n)
	if !ok {
		return
	}
	if i := slices.IndexFunc(d.out.Issue, func(x Directive) bool { return x.N == n }); i >= 0 {
		d.out.Issue = slices.Delete(d.out.Issue, i, i+1) // never left this decision
	} else {
		d.out.Void = append(d.out.Void, n)
	}
	if dir.Kind == DirectiveStop {
		d.note("run:"+string(dir.Run), "stop", "void", why)
	}
}

// take removes a directive from those not yet received.
func (d *decision) take(n int64) (Directive, bool) {
	s := &d.next
	i := slices.IndexFunc(s.Directives, func(x Directive) bool { return x.N == n })
	if i < 0 {
		return Directive{}, false
	}
	dir := s.Directives[i]
	s.Directives = slices.Delete(s.Directives, i, i+1)
	return dir, true
}

func (d *decision) voidPrompt(id MessageID) {
	for _, dir := range d.next.Directives {
		if dir.Kind == DirectivePrompt && dir.Message == id {
			d.void(dir.N, "another message goes first")
			return
		}
	}
}

// question finds one that is open or answered.
func (d *decision) question(id QuestionID) *Question {
	for i := range d.next.Questions {
		if d.next.Questions[i].ID == id {
			return &d.next.Questions[i]
		}
	}
	return nil
}

// addQuestion numbers a question and asks it.
func (d *decision) addQuestion(q Question) {
	s := &d.next
	s.Session.Questions++
	q.N, q.ID = s.Session.Questions, s.Session.ID.Question(s.Session.Questions)
	q.State, q.AskedAt, q.Choice, q.By = QuestionOpen, d.e.At, "", ""
	s.Questions = append(s.Questions, q)
	d.note("question:"+string(q.ID), "", string(QuestionOpen), q.Title)
}

// cannotResume names the plugs that cannot be resumed and why, "" if all can.
func (s *Snapshot) cannotResume() string {
	why := ""
	for _, p := range s.Environment.Plugs {
		if p.Resumable || !p.Opened || p.Unowned {
			continue
		}
		if why != "" {
			why += "; "
		}
		why += "plug " + p.ID + " (" + p.Use + ")"
		if p.Why != "" {
			why += ": " + p.Why
		}
	}
	return why
}

// mergePlugs takes over what a run reports of its plugs, by id (A32).
func (d *decision) mergePlugs(plugs []PlugRecord) {
	env := &d.next.Environment
	for _, p := range plugs {
		i := slices.IndexFunc(env.Plugs, func(x PlugRecord) bool { return x.ID == p.ID })
		if i < 0 {
			env.Plugs = append(env.Plugs, p)
			continue
		}
		if p.Spec == nil {
			p.Spec = env.Plugs[i].Spec
		}
		env.Plugs[i] = p
	}
	if run := d.next.live(); run != nil && run.Ephemeral {
		env.bind()
	}
}

// bind notes that what only the present machine has cannot be resumed: its
// runner is there for one run.
func (e *Environment) bind() {
	for i := range e.Plugs {
		if p := &e.Plugs[i]; p.Resumable && p.Reach != ReachShared {
			p.Resumable, p.Why = false, "its runner is there for one run"
		}
	}
}

// compared keeps how whole the record of a run is, and says once that it is
// not.
func (d *decision) compared(run *Run) {
	now := d.e.Record
	if now == "" {
		return
	}
	if now != RecordComplete && (run.Record == "" || run.Record == RecordComplete) {
		d.out.Notices = append(d.out.Notices, Notice{
			Kind: "gap", Text: "The record of run " + string(run.ID) + " is " + now + ".",
		})
	}
	run.Record = now
}

// RecordComplete is the Record of a run whose every event is kept.
const RecordComplete = "complete"

// saved takes over a save of the session's work (X5).
func (d *decision) saved() {
	s := &d.next
	if w := d.e.Saved; w != nil {
		s.Save = *w
		if s.Save.N == 0 {
			s.Save.N = s.Session.Saves + 1
		}
		s.Session.Saves = max(s.Session.Saves, s.Save.N)
	}
	if d.e.Clean {
		s.Environment.Clean = true
	}
}
