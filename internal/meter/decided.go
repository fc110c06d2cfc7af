package meter

import (
	"strings"
	"time"

	"blaise.dev/blaise"
)

// Decided reads from the history of a plan what has begun and ended.
func (m *Meter) Decided(p blaise.Plan) {
	for _, c := range p.History {
		noun, id, _ := strings.Cut(c.Subject, ":")
		switch {
		case noun == "run" && c.To == string(blaise.RunAccepted):
			m.runAccepted(runOf(p, blaise.RunID(id)))
		case noun == "environment" && c.Event == string(blaise.EventTeardownFailed):
			m.teardownFailures.Inc()
		}
	}
	for x, how := range p.TurnsEnded() {
		m.turnEnded(how, x)
	}
	for _, r := range p.Ended.Runs {
		m.runEnded(r)
	}
	for _, x := range p.Ended.Messages {
		m.used(x.Usage)
	}
	for _, q := range p.Ended.Questions {
		m.settled(q, p.History)
	}
}

// Beat counts a heartbeat of a run.
func (m *Meter) Beat() { m.beats.Inc() }

// Recorded counts events of a transcript.
func (m *Meter) Recorded(events int) { m.records.Add(float64(events)) }

func (m *Meter) runAccepted(r blaise.Run) {
	kind := string(r.Kind)
	m.accepted.WithLabelValues(kind).Inc()
	m.queued.WithLabelValues(kind).Observe(between(r.OfferedAt, r.AcceptedAt))
}

func (m *Meter) runEnded(r blaise.Run) {
	m.ended.WithLabelValues(string(r.Kind), string(r.Outcome)).Inc()
	if r.MadeRoom() {
		m.madeRoom.Inc()
	}
	if !r.AcceptedAt.IsZero() {
		m.worked.WithLabelValues(string(r.Kind)).Observe(between(r.AcceptedAt, r.EndedAt))
	}
}

func (m *Meter) turnEnded(c blaise.Change, x blaise.Message) {
	m.turns.WithLabelValues(c.To).Inc()
	m.turn.Observe(between(x.DeliveredAt, c.At))
}

func (m *Meter) used(u blaise.Usage) {
	for kind, n := range map[string]int64{
		"input": u.Input, "output": u.Output, "cached_read": u.CachedRead,
		"cached_write": u.CachedWrite, "thought": u.Thought,
	} {
		if n > 0 {
			m.tokens.WithLabelValues(kind).Add(float64(n))
		}
	}
}

// settled measures a question: who decided, and how long it was open.
func (m *Meter) settled(q blaise.Question, history []blaise.Change) {
	by, at := "person", q.AnsweredAt
	switch {
	case at.IsZero():
		by = "nobody"
		if len(history) > 0 {
			at = history[0].At
		}
	case q.By == blaise.ByGate:
		by = "gate"
	case q.By == "clock":
		by = "clock"
	}
	m.answered.WithLabelValues(by).Observe(between(q.AskedAt, at))
}

// between is in seconds, and never less than nothing: clocks are set.
func between(from, to time.Time) float64 { return max(0, to.Sub(from).Seconds()) }

// runOf is a run that a plan tells of.
func runOf(p blaise.Plan, id blaise.RunID) blaise.Run {
	for _, r := range p.Ended.Runs {
		if r.ID == id {
			return r
		}
	}
	if p.Next.Run != nil && p.Next.Run.ID == id {
		return *p.Next.Run
	}
	return blaise.Run{}
}
