package server

import (
	"context"
	"encoding/json"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"
)

// maxOutbox bounds a part of a spool. A run ships about 256 KB at a time; one
// entry may hold an event of 1 MiB, or a message's worth of answer.
const maxOutbox = 64 << 20

// outbox takes entries in order and answers how far it came. It fails only
// where it took nothing, or the lease is stale: what was taken is taken.
func (s *Server) outbox(ctx context.Context, in *struct{ Body api.Outbox }) (transcript.Receipt, error) {
	t := taking{
		control: s.control, run: callerOf(ctx).run,
		receipt: transcript.Receipt{Answers: map[int64]json.RawMessage{}},
	}
	err := t.all(ctx, in.Body.Entries)
	if err != nil && (t.receipt.Acked == 0 || blaise.CodeOf(err) == blaise.CodeStale) {
		return transcript.Receipt{}, err
	}
	if err != nil && blaise.CodeOf(err) == blaise.CodeInternal {
		s.log.Error("outbox taken in part", "run", t.run.ID, "acked", t.receipt.Acked, "error", err)
	}
	return t.receipt, nil
}

// A taking goes through the entries of one request. Events that follow each
// other are kept together; a report waits for those before it.
type taking struct {
	control *control.Control
	run     blaise.Run
	receipt transcript.Receipt
	first   int64    // the run's number of the first of events
	events  [][]byte // as the run wrote them: its digest is over these bytes
	last    int64    // the number of the last entry in events
}

func (t *taking) all(ctx context.Context, entries []transcript.Entry) error {
	for i, e := range entries {
		if i > 0 && e.N != entries[i-1].N+1 {
			return blaise.Errorf(blaise.CodeInvalid, "entry %d follows entry %d", e.N, entries[i-1].N)
		}
		var err error
		switch e.Kind {
		case transcript.EntryEvent:
			err = t.event(e)
		case transcript.EntryReport:
			err = t.report(ctx, e)
		default:
			err = blaise.Errorf(blaise.CodeInvalid, "entry %d is of kind %q, which is none", e.N, e.Kind)
		}
		if err != nil {
			return err
		}
	}
	return t.keep(ctx)
}

func (t *taking) event(e transcript.Entry) error {
	var ev struct {
		N    int64           `json:"n"`
		Run  string          `json:"run"`
		Kind transcript.Kind `json:"kind"`
	}
	if err := json.Unmarshal(e.Data, &ev); err != nil {
		return blaise.Errorf(blaise.CodeInvalid, "entry %d is no event: %v", e.N, err)
	}
	if ev.N < 1 || ev.Kind == "" || ev.Run != "" && ev.Run != string(t.run.ID) {
		return blaise.Errorf(blaise.CodeInvalid, "entry %d: n, kind and the run %s are needed", e.N, t.run.ID)
	}
	if len(t.events) == 0 {
		t.first = ev.N
	} else if want := t.first + int64(len(t.events)); ev.N != want {
		return blaise.Errorf(blaise.CodeInvalid, "entry %d is event %d, want %d", e.N, ev.N, want)
	}
	t.events = append(t.events, e.Data)
	t.last = e.N
	return nil
}

// keep records the events gathered so far.
func (t *taking) keep(ctx context.Context) error {
	if len(t.events) == 0 {
		return nil
	}
	if err := t.control.Record(ctx, t.run, t.first, t.events); err != nil {
		return err
	}
	t.events = t.events[:0]
	t.receipt.Acked = t.last
	return nil
}

func (t *taking) report(ctx context.Context, e transcript.Entry) error {
	if err := t.keep(ctx); err != nil {
		return err
	}
	var r api.Report
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return blaise.Errorf(blaise.CodeInvalid, "entry %d is no report: %v", e.N, err)
	}
	a, err := t.control.Report(ctx, t.run, reportOf(e.N, r))
	if err != nil {
		return err
	}
	b, err := json.Marshal(api.Answer(a))
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	t.receipt.Answers[e.N] = b
	t.receipt.Acked = e.N
	return nil
}

func reportOf(n int64, r api.Report) control.Report {
	e := blaise.Event{
		Kind: r.Event, At: r.At, Reason: r.Reason, Plugs: r.Plugs, Conversation: r.Conversation,
		Context: r.Context, Message: r.Message, Result: r.Result, StopReason: r.StopReason, Text: r.Text,
		Ask: r.Question, Saved: r.Saved, Clean: r.Clean, Resource: r.Resource, Usage: r.Usage, Set: r.Set,
		Chosen: r.Chosen,
	}
	if r.Question != nil {
		e.Question, e.Key = r.Question.ID, r.Question.Key
	}
	return control.Report{
		N: n, Event: e, Plug: r.Plug, State: r.State, Config: r.Config, Count: r.Count, Digest: r.Digest,
		Status: r.Status,
	}
}
