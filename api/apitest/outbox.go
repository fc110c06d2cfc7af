package apitest

import (
	"encoding/json"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// outbox keeps entries once, and gives the same answer to the same report.
func (b *Blaise) outbox(w http.ResponseWriter, r *http.Request) {
	var in api.Outbox
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, blaise.CodeInvalid)
		return
	}
	b.taking.Lock()
	defer b.taking.Unlock()
	receipt, refused, lost := transcript.Receipt{Answers: map[int64]json.RawMessage{}}, false, false
	b.Set(func() { refused = b.Refuse })
	if refused {
		refuse(w, http.StatusConflict, blaise.CodeRefused)
		return
	}
	for _, e := range in.Entries {
		lost = b.take(e) || lost
	}
	b.Set(func() {
		receipt.Acked = b.acked
		for _, e := range in.Entries {
			if a, ok := b.answers[e.N]; ok {
				receipt.Answers[e.N] = a
			}
		}
	})
	if lost {
		panic(http.ErrAbortHandler) // the answer is lost on the way
	}
	reply(w, receipt)
}

// take keeps an entry that is new, and says whether the answer is to be lost.
func (b *Blaise) take(e transcript.Entry) (lost bool) {
	var (
		rep   api.Report
		event transcript.Event
		known bool
	)
	report := e.Kind == transcript.EntryReport
	if report {
		_ = json.Unmarshal(e.Data, &rep)
	} else {
		_ = json.Unmarshal(e.Data, &event)
	}
	b.Set(func() {
		if lost = report && b.Lose[rep.Event] > 0; lost {
			b.Lose[rep.Event]--
		}
		if known = e.N <= b.acked; known {
			return
		}
		b.acked = e.N
		if report {
			b.Reports = append(b.Reports, rep)
		} else {
			b.Events = append(b.Events, event)
		}
	})
	if report && !known {
		answer, _ := json.Marshal(b.Verdict(rep))
		b.Set(func() { b.answers[e.N] = answer })
	}
	return lost
}

// Verdicts answers v to a run that paused, has one that failed tear down, and is
// content with all else.
func Verdicts(v blaise.Verdict) func(api.Report) api.Answer {
	return func(r api.Report) api.Answer {
		switch r.Event {
		case blaise.EventPauseReported:
			return api.Answer{Verdict: v}
		case blaise.EventRunFailed, blaise.EventSignalled, blaise.EventPlugFailed:
			return api.Answer{Verdict: blaise.VerdictTeardown}
		}
		return api.Answer{Verdict: blaise.VerdictDone}
	}
}
