package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// The calls of this file carry a user's token. Where they take the id of a
// session, the beginning of it does, if only one session's begins so.

// StartSession begins a session with its first message.
func (c *Client) StartSession(ctx context.Context, s StartSession) (Posted, error) {
	var out Posted
	return out, c.do(ctx, call{
		method: http.MethodPost, path: "/api/sessions", in: s, out: &out, within: uploadDeadline,
	})
}

// PostMessage sends a message to a session.
func (c *Client) PostMessage(ctx context.Context, id blaise.SessionID, m PostMessage) (Posted, error) {
	var out Posted
	return out, c.do(ctx, call{
		method: http.MethodPost, path: session(id, "/messages"), in: m, out: &out, within: uploadDeadline,
	})
}

// Session answers all of a session.
func (c *Client) Session(ctx context.Context, id blaise.SessionID) (Session, error) {
	var out Session
	return out, c.get(ctx, session(id, ""), nil, &out)
}

// SessionFilter chooses sessions. The zero value chooses the latest.
type SessionFilter struct {
	State  string // a state of sessions, an outcome, or "needs" for those that need a person
	Agent  blaise.AgentName
	Text   string    // in id, title, author or reason
	Since  time.Time // those that nothing has happened to since are left out
	Limit  int
	Before string // Sessions.Next of the page before
}

// Sessions lists sessions, the latest first.
func (c *Client) Sessions(ctx context.Context, f SessionFilter) (Sessions, error) {
	q := url.Values{}
	add := func(k, v string) {
		if v != "" {
			q.Set(k, v)
		}
	}
	add("state", f.State)
	add("agent", string(f.Agent))
	add("q", f.Text)
	add("before", f.Before)
	if !f.Since.IsZero() {
		q.Set("since", f.Since.UTC().Format(time.RFC3339))
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var out Sessions
	return out, c.get(ctx, "/api/sessions", q, &out)
}

// Choose chooses settings of a session, and says when that takes effect.
func (c *Client) Choose(ctx context.Context, id blaise.SessionID, s ChooseSettings) (Chosen, error) {
	var out Chosen
	return out, c.post(ctx, session(id, "/settings"), s, &out)
}

// Withdraw takes back a message that is still queued (X1).
func (c *Client) Withdraw(ctx context.Context, id blaise.SessionID, m blaise.MessageID) error {
	return c.post(ctx, session(id, "/messages/"+esc(m)+"/withdraw"), struct{}{}, nil)
}

// End ends a session. CodeUnreachable: no run received the stop, nothing has
// changed (A18).
func (c *Client) End(ctx context.Context, id blaise.SessionID, reason string) error {
	return c.act(ctx, id, "end", Act{Reason: reason})
}

// Discard ends a session as End does, and lets its teardown go on where the work
// cannot be saved (X5); a reason is needed.
func (c *Client) Discard(ctx context.Context, id blaise.SessionID, reason string) error {
	return c.act(ctx, id, "end", Act{Reason: reason, Force: true})
}

// Cancel cancels the turn.
func (c *Client) Cancel(ctx context.Context, id blaise.SessionID, reason string) error {
	return c.act(ctx, id, "cancel", Act{Reason: reason})
}

// Pause pauses a session now; errors as of End.
func (c *Client) Pause(ctx context.Context, id blaise.SessionID, reason string) error {
	return c.act(ctx, id, "pause", Act{Reason: reason})
}

// Pushed puts into the record what of the saved work went where.
func (c *Client) Pushed(ctx context.Context, id blaise.SessionID, what string) error {
	return c.act(ctx, id, "pushed", Act{Reason: what})
}

// Retry tries a session's waiting messages again (A22).
func (c *Client) Retry(ctx context.Context, id blaise.SessionID) error {
	return c.act(ctx, id, "retry", Act{})
}

// RetryTeardown begins a new series of teardowns (A19). With Force it goes on
// where the work cannot be saved; a reason is then needed.
func (c *Client) RetryTeardown(ctx context.Context, id blaise.SessionID, a Act) error {
	return c.act(ctx, id, "retry-teardown", a)
}

// MarkDestroyed says that what an environment held is gone; a reason is needed.
func (c *Client) MarkDestroyed(ctx context.Context, id blaise.SessionID, reason string) error {
	return c.act(ctx, id, "mark-destroyed", Act{Reason: reason})
}

// Hold freezes a session (B11).
func (c *Client) Hold(ctx context.Context, id blaise.SessionID, reason string) error {
	return c.act(ctx, id, "hold", Act{Reason: reason})
}

// Release lets a held session go on.
func (c *Client) Release(ctx context.Context, id blaise.SessionID) error {
	return c.act(ctx, id, "release", Act{})
}

func (c *Client) act(ctx context.Context, id blaise.SessionID, what string, a Act) error {
	return c.do(ctx, call{
		method: http.MethodPost, path: session(id, "/"+what), in: a, within: stopDeadline,
	})
}

// AnswerQuestion decides a question, once.
func (c *Client) AnswerQuestion(ctx context.Context, q blaise.QuestionID, a AnswerQuestion) error {
	return c.post(ctx, session(q.Session(), "/questions/"+esc(q)), a, nil)
}

// Lost declares a run lost (X2): to be used only when it is known to be gone.
func (c *Client) Lost(ctx context.Context, run blaise.RunID, reason string) error {
	return c.post(ctx, "/api/runs/"+esc(run)+"/lost", Act{Reason: reason}, nil)
}

// History answers what changed in a session, oldest first.
func (c *Client) History(ctx context.Context, id blaise.SessionID) ([]Change, error) {
	var out []Change
	return out, c.get(ctx, session(id, "/history"), nil, &out)
}

// Transcript calls fn for every event after a seq that there is now.
func (c *Client) Transcript(
	ctx context.Context, id blaise.SessionID, after int64, fn func(transcript.Event) error,
) error {
	for {
		var page Transcript
		q := url.Values{"after": {strconv.FormatInt(after, 10)}}
		if err := c.get(ctx, session(id, "/transcript"), q, &page); err != nil {
			return err
		}
		for _, e := range page.Events {
			if err := fn(e); err != nil {
				return err
			}
		}
		if !page.More || page.Last <= after {
			return nil
		}
		after = page.Last
	}
}

// Event is one event of the transcript, whole where the transcript has it cut.
func (c *Client) Event(ctx context.Context, id blaise.SessionID, seq int64) (transcript.Event, error) {
	var out transcript.Event
	return out, c.get(ctx, session(id, "/events/"+strconv.FormatInt(seq, 10)), nil, &out)
}

// Why explains a session, run or message (X7).
func (c *Client) Why(ctx context.Context, id string) (Why, error) {
	var out Why
	return out, c.get(ctx, "/api/why/"+esc(id), nil, &out)
}

func session(id blaise.SessionID, rest string) string { return "/api/sessions/" + esc(id) + rest }
