package blaise

import (
	"cmp"
	"slices"
	"strings"
)

// questionAsked parks the turn until a person has answered (B6). The same key
// is the same question.
func (d *decision) questionAsked() error {
	s := &d.next
	if d.e.Ask == nil {
		return Errorf(CodeInvalid, "a question is missing")
	}
	q := *d.e.Ask
	q.Run, q.Turn = s.Run.ID, s.Run.Turn
	q.Key = cmp.Or(q.Key, d.e.Key)
	for _, old := range s.Questions {
		if q.Key != "" && old.Key == q.Key && old.Run == q.Run {
			return d.same(VerdictDone)
		}
	}
	if s.Run.State != RunConnected || s.ended() {
		d.ignore("the run stops: nobody is asked")
		d.out.Verdict = VerdictVoid
		return nil
	}
	d.addQuestion(q)
	d.passGate()
	d.out.Verdict = VerdictDone
	return nil
}

// questionAnswered takes a person's answer, once.
func (d *decision) questionAnswered() error {
	q := d.question(d.e.Question)
	switch {
	case q == nil:
		return Errorf(CodeNotFound, "no question %q is open in session %s",
			d.e.Question, d.next.Session.ID)
	case q.State != QuestionOpen:
		return q.Closed()
	case !q.allows(d.e.Choice):
		return Errorf(CodeInvalid, "question %s has no option %q", q.ID, d.e.Choice).
			WithHint("one of: %s", q.choices())
	}
	if err := q.fill(d.e); err != nil {
		return err
	}
	d.answer(q, d.e.Choice, d.e.Reason)
	d.out.Verdict = VerdictDone
	return nil
}

// Closed is the error of an answer to a question that takes none any more: who
// answered first and what, or why nobody can (B6).
func (q *Question) Closed() error {
	if q.By == "" {
		return Errorf(CodeRefused, "question %s has expired: %s", q.ID, cmp.Or(q.Reason, "its turn ended")).
			WithHint("nothing has changed; the agent asks again if it still needs to know")
	}
	return Errorf(CodeRefused, "question %s was answered by %s: %s", q.ID, q.By, q.chosen()).
		WithHint("nothing has changed")
}

// answer settles an open question, and tells the run that asked it.
func (d *decision) answer(q *Question, choice, reason string) {
	q.Choice, q.By, q.AnsweredAt = choice, d.e.By, d.e.At
	d.setQuestion(q, QuestionAnswered, reason)
	if q.Kind == QuestionInterrupted {
		d.resolveInterrupted(q)
		return
	}
	d.issue(Directive{
		Kind: DirectiveAnswer, Question: q.ID, Key: q.Key, Choice: choice, Content: q.Content,
		By: q.By, Rule: q.Rule, Reason: reason,
	})
	if !d.next.asked() {
		d.armSilence()
	}
}

// fill takes what a person wrote into the form of an elicitation.
func (q *Question) fill(e Event) error {
	if q.Kind != QuestionElicitation || e.Choice != ChoiceAccept {
		if len(e.Set) == 0 {
			return nil
		}
		return Errorf(CodeInvalid, "question %s is answered with %q: nothing is filled in", q.ID, e.Choice)
	}
	f := FormOf(q.Detail)
	if f.URL != "" && len(e.Set) == 0 {
		return nil
	}
	content, err := f.Fill(e.Set)
	q.Content = content
	return err
}

func (d *decision) resolveInterrupted(q *Question) {
	if m := d.next.message(q.Turn); m != nil && m.State == MessageInterrupted {
		if q.Choice == ChoiceContinue {
			m.Resume = true
		} else {
			d.setMessage(m, MessageFailed, cmp.Or(q.Reason, "given up by "+q.By))
		}
	}
	d.setQuestion(q, QuestionApplied, q.Reason)
}

// questionApplied is the run's word that it has handed the answer on.
func (d *decision) questionApplied() error {
	q := d.asked()
	d.out.Verdict = VerdictDone
	if q == nil || q.State != QuestionAnswered {
		d.ignore("no answer to apply")
		return nil
	}
	d.setQuestion(q, QuestionApplied, q.Reason)
	return nil
}

// questionExpired is the run's word that nobody waits for the answer any more.
// An answer that was given stays on record as given.
func (d *decision) questionExpired() error {
	q := d.asked()
	d.out.Verdict = VerdictDone
	if q == nil {
		d.ignore("no such question is open")
		return nil
	}
	if q.State == QuestionAnswered {
		q.Turn = "" // overtaken: settle lets it go, answered
	} else {
		d.setQuestion(q, QuestionExpired, d.e.Reason)
	}
	if !d.next.asked() {
		d.armSilence()
	}
	return nil
}

// expire closes a question that nobody waits for any more. A run that died can
// not say so in the record: Blaise does (B6).
func (d *decision) expire(q *Question) {
	reason := "its turn ended"
	if ended := d.out.Ended.Runs; len(ended) > 0 {
		reason = "its run ended: " + ended[len(ended)-1].Reason
		d.out.Notices = append(d.out.Notices, Notice{Kind: "decided", Data: map[string]any{
			"question": q.Key, "choice": "", "by": "Blaise", "reason": "expired: " + reason,
		}})
	}
	d.setQuestion(q, QuestionExpired, reason)
}

// overtake says of an answer that came too late for its turn that nothing was
// done with it; it stays on record as given.
func (d *decision) overtake(q *Question) {
	const reason = "answered, not applied: its turn ended first"
	d.setQuestion(q, QuestionAnswered, reason)
	d.out.Notices = append(d.out.Notices, Notice{Kind: "decided", Data: map[string]any{
		"question": q.Key, "choice": q.Choice, "by": q.By, "reason": reason,
	}})
}

// asked is the question that the live run speaks of, by id or by its own key.
func (d *decision) asked() *Question {
	for i := range d.next.Questions {
		q := &d.next.Questions[i]
		if q.Run != d.e.Run {
			continue
		}
		if q.ID == d.e.Question || d.e.Question == "" && q.Key == d.e.Key {
			return q
		}
	}
	return nil
}

func (q *Question) allows(choice string) bool {
	return choice == "" || len(q.Options) == 0 ||
		slices.ContainsFunc(q.Options, func(o Option) bool { return o.ID == choice })
}

func (q *Question) choices() string {
	var ids []string
	for _, o := range q.Options {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, ", ")
}

func (q *Question) chosen() string {
	for _, o := range q.Options {
		if o.ID == q.Choice {
			return o.Name
		}
	}
	return cmp.Or(q.Choice, "cancelled")
}

// denial is the option that refuses, "" (cancelled) if there is none.
func (q *Question) denial() string {
	if q.Kind == QuestionInterrupted {
		return ChoiceFail
	}
	id, _ := q.option("reject_once", "reject_always")
	return id
}

// Pick picks an option by kind, never by position: once before always (R21). A
// question that offers no way to refuse is answered "", which cancels it; one
// that offers nothing that allows is CodeInvalid.
func (q *Question) Pick(allow bool) (string, error) {
	if !allow {
		return q.denial(), nil
	}
	id, ok := q.option("allow_once", "allow_always")
	if !ok {
		return "", Errorf(CodeInvalid, "question %s offers nothing that allows", q.ID).
			WithHint("name one of its options")
	}
	return id, nil
}

// option finds the first option of a kind, of the first kind there is.
func (q *Question) option(kinds ...string) (id string, ok bool) {
	for _, kind := range kinds {
		for _, o := range q.Options {
			if o.Kind == kind {
				return o.ID, true
			}
		}
	}
	return "", false
}
