package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// Act does what a person asks of a session: end, pause, cancel, retry, retry of
// a teardown, mark destroyed, hold, release, lost, withdraw. A running session
// is ended or paused when its run has received the stop, which Act waits for;
// if none does, Act answers CodeUnreachable, nothing has changed, and it can be
// asked again (A15-A18).
func (c *Control) Act(ctx context.Context, id blaise.SessionID, e blaise.Event) error {
	plan, err := c.Apply(ctx, id, e)
	if err != nil || plan.Verdict != blaise.VerdictPending {
		return err
	}
	for _, d := range plan.Next.Directives {
		if d.Kind == blaise.DirectiveStop {
			return c.awaitReceipt(ctx, id, d.N)
		}
	}
	return nil
}

// awaitReceipt waits until a stop was received or is void. Its clock voids it
// after blaise.StopReceipt, so that the wait always ends.
func (c *Control) awaitReceipt(ctx context.Context, id blaise.SessionID, n int64) error {
	woken, leave := c.hub.Follow(TopicSession(id))
	defer leave()
	for {
		state, verdict, err := c.receipt(ctx, id, n)
		switch {
		case err != nil:
			return err
		case state == store.DirectiveReceived && verdict == blaise.VerdictGo:
			return nil
		case state == overtaken:
			return blaise.Errorf(blaise.CodeRefused, "session %s is already stopping for another reason", id).
				WithHint("see `blaise why %s`", id)
		case state == store.DirectiveVoid || state == store.DirectiveReceived:
			return blaise.Errorf(blaise.CodeUnreachable,
				"no run of session %s received the stop within %s; nothing has changed", id, blaise.StopReceipt).
				WithHint("try again, or see `blaise why %s`", id)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-woken:
		case <-time.After(time.Second):
		}
	}
}

// overtaken is the state of a stop that is void because another one was
// received before it.
const overtaken = "overtaken"

func (c *Control) receipt(ctx context.Context, id blaise.SessionID, n int64) (string, blaise.Verdict, error) {
	var state string
	var verdict blaise.Verdict
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		d, known, v, err := tx.Directive(id, n)
		if err != nil {
			return err
		}
		state, verdict = known, v
		if known != store.DirectiveVoid {
			return nil
		}
		s, err := tx.Snapshot(id)
		switch {
		case d.Stop.Ends && s.Session.Outcome != "": // an end may come true without its receipt
			state, verdict = store.DirectiveReceived, blaise.VerdictGo
		case s.Session.Outcome != "" || s.Run != nil && s.Run.Stop != nil:
			state = overtaken
		}
		return err
	})
	return state, verdict, err
}

// A Decision is a person's answer to a question.
type Decision struct {
	Choice string // an option's id; "" picks one by its kind
	Allow  *bool
	Set    map[string]string // what was filled in, of an elicitation
}

// Answer decides an open question, once.
func (c *Control) Answer(ctx context.Context, by string, id blaise.QuestionID, d Decision) error {
	session := id.Session()
	var plan blaise.Plan
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		q, err := tx.Question(id)
		if err != nil {
			return err
		}
		if q.State != blaise.QuestionOpen {
			return q.Closed() // also where the session has no more to do with it
		}
		pick := d.Choice
		if pick == "" && d.Allow != nil {
			if pick, err = q.Pick(*d.Allow); err != nil {
				return err
			}
		}
		plan, err = c.decide(tx, session, blaise.Event{
			Kind: blaise.EventQuestionAnswered, By: by, Question: id, Choice: pick, Set: d.Set,
		})
		return err
	})
	if err == nil {
		c.wake(plan)
	}
	return err
}
