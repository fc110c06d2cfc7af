package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// say puts a report into the spool, on disk on return, and does not wait for
// the answer: Blaise may be away for an hour. A spool that fails ends the run.
func (r *run) say(rep api.Report) {
	data, err := r.sealed(rep)
	if err == nil {
		_, err = r.spool.Append(transcript.EntryReport, data, true)
	}
	if err != nil {
		r.stopWork(fmt.Errorf("record %s: %w", rep.Event, err))
	}
}

// ask reports and waits for the answer. A stale one fences the run; another
// refusal is the error.
func (r *run) ask(ctx context.Context, rep api.Report) (api.Answer, error) {
	data, err := r.sealed(rep)
	if err != nil {
		return api.Answer{}, err
	}
	raw, err := r.ship.Report(ctx, data)
	if err != nil {
		return api.Answer{}, fmt.Errorf("report %s: %w", rep.Event, err)
	}
	var a api.Answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return api.Answer{}, fmt.Errorf("read answer to %s: %w", rep.Event, err)
	}
	if a.Code == blaise.CodeStale {
		r.fenceOff()
	}
	if a.Code != "" {
		return a, &blaise.Error{Code: a.Code, Message: a.Error, Hint: a.Hint}
	}
	return a, nil
}

// sealed is the report as it may leave the process. State and config go
// untouched: Blaise keeps them, encrypted, and shows them to nobody.
func (r *run) sealed(rep api.Report) ([]byte, error) {
	rep.At = time.Now().UTC()
	rep.Reason = r.secrets.String(rep.Reason)
	rep.Text = r.secrets.String(rep.Text)
	if q := rep.Question; q != nil {
		clean := r.cleanQuestion(*q)
		rep.Question = &clean
	}
	if rep.Status != nil {
		clean, err := r.cleanStatus(*rep.Status)
		if err != nil {
			return nil, err
		}
		rep.Status = &clean
	}
	for i, p := range rep.Plugs {
		rep.Plugs[i].Why = r.secrets.String(p.Why)
	}
	return json.Marshal(rep)
}

// lastWords gives a report the count and digest of the record, so that Blaise
// can say whether it has all of it.
func (r *run) lastWords(rep api.Report) api.Report {
	rep.Count, rep.Digest = r.spool.Digest()
	return rep
}

// note records an event of the run itself.
func (r *run) note(kind transcript.Kind, v any) {
	if err := r.record.Append(transcript.New(kind, v)); err != nil {
		r.stopWork(err)
	}
}

func (r *run) notice(text string, more map[string]any) {
	data := map[string]any{"text": text}
	for k, v := range more {
		data[k] = v
	}
	r.note(transcript.KindNotice, data)
}
