package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// A Report is what a run says happened: an event for Decide, or one of the
// things that are only kept (a plug's state, the blaise.yml, what the agent says of itself). N is its number
// in the run's spool: a report sent again gets the answer it got.
type Report struct {
	N      int64
	Event  blaise.Event
	Plug   string // of a state to keep
	State  []byte
	Config []byte
	Count  int64 // of the last report: how many events the run recorded
	Digest string
	Status *blaise.AgentStatus
}

// An Answer is what is said to a report, in the form it is kept.
type Answer struct {
	Verdict blaise.Verdict `json:"verdict,omitempty"`
	Code    blaise.Code    `json:"code,omitempty"`
	Error   string         `json:"error,omitempty"`
	Hint    string         `json:"hint,omitempty"`
}

// Kinds of report that are kept without a decision.
const (
	EventStateSaved blaise.EventKind = "state_saved"
	EventConfigKept blaise.EventKind = "config_kept"
	EventStatusTold blaise.EventKind = "agent_status"
)

// Report takes a report of a run, once (A21). A report that the state refuses
// is answered with the refusal; an error means that nothing is known of it and
// the run must send it again, or, with CodeStale, stop now.
func (c *Control) Report(ctx context.Context, run blaise.Run, r Report) (Answer, error) {
	if r.Digest != "" {
		var err error
		if r.Event.Record, err = c.compare(ctx, run, r); err != nil {
			return Answer{}, err
		}
	}
	var plan *blaise.Plan
	var answer Answer
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		plan, answer = nil, Answer{}
		old, known, err := tx.Answer(run.ID, r.N)
		if err != nil || known {
			return errors.Join(err, unmarshalAnswer(old, &answer))
		}
		if plan, answer, err = c.take1(tx, run, r); err != nil {
			return err
		}
		b, err := json.Marshal(answer)
		if err != nil {
			return fmt.Errorf("encode answer: %w", err)
		}
		return tx.KeepAnswer(run.ID, r.N, b)
	})
	if err != nil {
		return Answer{}, err
	}
	if plan != nil {
		c.wake(*plan)
	} else if r.Status != nil {
		c.hub.Wake(TopicSession(run.ID.Session()))
	}
	return answer, nil
}

func unmarshalAnswer(b []byte, a *Answer) error {
	if len(b) == 0 {
		return nil
	}
	return json.Unmarshal(b, a)
}

// take1 does what one report asks. A refusal becomes part of the answer, so
// that it is kept and given again.
func (c *Control) take1(tx *store.Tx, run blaise.Run, r Report) (*blaise.Plan, Answer, error) {
	env, err := c.keep(tx, run, r)
	if err != nil || env {
		return refusal(nil, err)
	}
	e := r.Event
	e.Run, e.By, e.At = run.ID, "run "+string(run.ID), c.now()
	p, err := c.decide(tx, run.ID.Session(), e)
	if err != nil {
		return refusal(nil, err)
	}
	if e.Saved != nil && e.Saved.N > 0 {
		if err := tx.KeepSave(run.ID.Session(), *e.Saved); err != nil {
			return nil, Answer{}, err
		}
	}
	return &p, Answer{Verdict: p.Verdict}, nil
}

// keep does the reports that need no decision; done says that this was one.
func (c *Control) keep(tx *store.Tx, run blaise.Run, r Report) (done bool, err error) {
	switch r.Event.Kind {
	case EventStateSaved, EventConfigKept, EventStatusTold:
	default:
		return false, nil
	}
	s, err := tx.Snapshot(run.ID.Session())
	if err != nil {
		return true, err
	}
	if s.Run == nil || s.Run.ID != run.ID {
		return true, stale(run)
	}
	switch {
	case r.Event.Kind == EventConfigKept:
		return true, tx.KeepConfig(s.Environment.ID, r.Config)
	case r.Event.Kind == EventStatusTold && r.Status != nil:
		return true, tx.KeepStatus(run.ID.Session(), *r.Status)
	case r.Event.Kind == EventStatusTold:
		return true, blaise.Errorf(blaise.CodeInvalid, "the status of the agent is missing")
	}
	return true, tx.SavePlugState(s.Environment.ID, r.Plug, r.State)
}

// refusal turns an error that is the run's to hear into an answer.
func refusal(p *blaise.Plan, err error) (*blaise.Plan, Answer, error) {
	var e *blaise.Error
	if err == nil {
		return p, Answer{}, nil
	}
	if !errors.As(err, &e) || e.Code == blaise.CodeInternal || e.Code == blaise.CodeStale {
		return nil, Answer{}, err
	}
	return nil, Answer{Code: e.Code, Error: e.Message, Hint: e.Hint}, nil
}

// Record keeps a batch of a run's events, lines of JSON numbered from first,
// each once and in order, byte for byte. A run whose lease was taken over is
// refused with CodeStale.
func (c *Control) Record(ctx context.Context, run blaise.Run, first int64, lines [][]byte) error {
	if run.Final() && run.Outcome == blaise.RunLost {
		return stale(run)
	}
	if _, err := c.db.AppendRaw(ctx, run.ID.Session(), run.ID, first, lines); err != nil {
		return err
	}
	c.beats.advance(run.ID)
	c.observer.Recorded(len(lines))
	return nil
}

// compare says how whole the record of a run is, by the count and digest of
// its last report.
func (c *Control) compare(ctx context.Context, run blaise.Run, r Report) (string, error) {
	rec, err := c.db.Record(ctx, run.ID)
	switch {
	case err != nil:
		return "", err
	case rec.Count == r.Count && rec.Digest == r.Digest:
		return blaise.RecordComplete, nil
	}
	c.log.Warn("record incomplete", "run", run.ID, "kept", rec.Count, "recorded", r.Count)
	if rec.Count == r.Count {
		return "incomplete: it is not what the run wrote", nil
	}
	return fmt.Sprintf("incomplete: %d of %d events missing", r.Count-rec.Count, r.Count), nil
}
