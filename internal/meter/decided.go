package meter

import (
	"slices"
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
			m.runAccepted(find(runsOf(p), func(r blaise.Run) bool { return string(r.ID) == id }))
		case noun == "message" && c.From == string(blaise.MessageDelivered):
			m.turnEnded(c, find(messagesOf(p), func(x blaise.Message) bool { return string(x.ID) == id }))
		case noun == "environment" && c.Event == string(blaise.EventTeardownFailed):
			m.teardownFailures.Inc()
		}
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

func find[T any](all []T, is func(T) bool) (found T) {
	for _, x := range all {
		if is(x) {
			return x
		}
	}
	return found
}

func runsOf(p blaise.Plan) []blaise.Run {
	if p.Next.Run == nil {
		return p.Ended.Runs
	}
	return slices.Concat(p.Ended.Runs, []blaise.Run{*p.Next.Run})
}

func messagesOf(p blaise.Plan) []blaise.Message {
	return slices.Concat(p.Ended.Messages, p.Next.Messages)
}
