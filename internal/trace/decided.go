package trace

import "blaise.dev/blaise"

// Decided makes spans of what a committed plan has ended: runs and their wait
// for a runner, turns, and questions.
func (t *Tracer) Decided(p blaise.Plan) {
	if t == nil {
		return
	}
	for _, r := range p.Ended.Runs {
		t.whole(r)
	}
	for m, how := range p.TurnsEnded() {
		t.turn(m, how)
	}
	for _, q := range p.Ended.Questions {
		t.question(q, p)
	}
}

// whole is of a run: its whole life, and its wait.
func (t *Tracer) whole(r blaise.Run) {
	s := Span{
		Run: r.ID, Name: "run", ID: RunSpan(r.ID), From: r.OfferedAt, To: r.EndedAt,
		Attrs: map[string]string{"kind": string(r.Kind), "outcome": string(r.Outcome), "reason": r.Reason,
			"runner": string(r.Runner), "instance": string(r.Instance)},
	}
	switch r.Outcome {
	case blaise.RunFailed, blaise.RunLost, blaise.RunRefused:
		s.Error = r.Reason
	}
	t.Add(s)
	if !r.AcceptedAt.IsZero() {
		t.Add(Span{Run: r.ID, Name: "wait for a runner", Parent: RunSpan(r.ID), From: r.OfferedAt, To: r.AcceptedAt})
	}
}

func (t *Tracer) turn(m blaise.Message, h blaise.Change) {
	s := Span{
		Run: m.Run, Name: "turn", ID: TurnSpan(m.Run, m.Turn), Parent: RunSpan(m.Run),
		From: m.DeliveredAt, To: h.At,
		Attrs: map[string]string{"message": string(m.ID), "result": h.To},
	}
	if h.To == string(blaise.MessageFailed) {
		s.Error = m.Reason
	}
	t.Add(s)
}

// question is open until it is answered, or nobody waits for it any more.
func (t *Tracer) question(q blaise.Question, p blaise.Plan) {
	if q.Run == "" {
		return
	}
	s := Span{
		Run: q.Run, Name: "question", Parent: RunSpan(q.Run), From: q.AskedAt, To: q.AnsweredAt,
		Attrs: map[string]string{"question": string(q.ID), "kind": q.Kind, "by": q.By},
	}
	if s.To.IsZero() && len(p.History) > 0 {
		s.To = p.History[0].At
	}
	t.Add(s)
}
