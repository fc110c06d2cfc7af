package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// maxAsks is how many requests of the agent may be open at once.
const maxAsks = 1024

// ask is a request of the agent that we have not answered yet. Whoever takes it
// out of Client.asks answers it; so there is one answer.
type ask struct {
	key     string
	id      json.RawMessage
	session string // of a permission request
	elicits string // the session of an elicitation
	cancel  context.CancelCauseFunc
}

type resultReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type errorReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *Error          `json:"error"`
}

func resultFrame(id json.RawMessage, result any) *frame {
	raw, err := encode(resultReply{Version: "2.0", ID: id, Result: result})
	if err != nil {
		return errorFrame(id, &Error{Code: CodeInternal, Message: "encode result: " + err.Error()})
	}
	return &frame{raw: raw}
}

func errorFrame(id json.RawMessage, fault *Error) *frame {
	raw, err := encode(errorReply{Version: "2.0", ID: id, Error: fault})
	if err != nil { // its data is no JSON
		raw, _ = encode(errorReply{Version: "2.0", ID: id, Error: &Error{
			Code: fault.Code, Message: fault.Message,
		}})
	}
	return &frame{raw: raw}
}

// serve starts a request of the agent; on the dispatcher.
func (c *Client) serve(ctx context.Context, e envelope) {
	a := &ask{key: askKey(e.id), id: e.id}
	if id := str(field(e.params, "sessionId")); !c.knows(id) {
		c.post(ctx, errorFrame(e.id, &Error{
			Code: CodeInvalidParams, Message: fmt.Sprintf("session %q is not one of this client", id),
		}))
		return
	}
	work := c.askWork(a, e)
	asking, cancel := context.WithCancelCause(ctx)
	a.cancel = cancel
	if refusal := c.admit(a); refusal != nil {
		cancel(ErrCancelled)
		c.post(ctx, refusal)
		return
	}
	c.handlers.Go(func() {
		defer cancel(nil)
		answer := work(asking)
		if c.claim(a) {
			_ = c.box.put(ctx, answer) // no error but the end of the connection
		}
	})
}

// askWork gives the function that asks the handler and makes the answer.
func (c *Client) askWork(a *ask, e envelope) func(context.Context) *frame {
	if e.method == methodPermission {
		r := newPermissionRequest(e.params)
		a.session = r.SessionID
		return func(ctx context.Context) *frame { return c.askPermission(ctx, a, r) }
	}
	if e.method == MethodElicit {
		a.elicits = str(field(e.params, "sessionId"))
	}
	return func(ctx context.Context) *frame { return c.askOther(ctx, a, e) }
}

func (c *Client) askPermission(ctx context.Context, a *ask, r PermissionRequest) (f *frame) {
	defer c.refuseOnPanic(a, &f)
	return resultFrame(a.id, r.checked(c.h.Permission(ctx, r)).result())
}

func (c *Client) askOther(ctx context.Context, a *ask, e envelope) (f *frame) {
	defer c.refuseOnPanic(a, &f)
	result, err := c.h.Request(ctx, e.method, e.params)
	if err == nil {
		return resultFrame(a.id, result)
	}
	var fault *Error
	if !errors.As(err, &fault) {
		fault = &Error{Code: CodeInternal, Message: err.Error()}
	}
	return errorFrame(a.id, fault)
}

func (c *Client) refuseOnPanic(a *ask, f **frame) {
	if v := recover(); v != nil {
		c.o.Log.Error("handler panicked", "where", "request", "panic", v)
		*f = errorFrame(a.id, &Error{Code: CodeInternal, Message: "handler panicked"})
	}
}

// admit registers a, or gives the answer it gets at once.
func (c *Client) admit(a *ask) (refusal *frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.turns[a.session]; a.session != "" && t != nil && t.state == Cancelling {
		return resultFrame(a.id, PermissionOutcome{Cancelled: true}.result())
	}
	if t := c.turns[a.elicits]; a.elicits != "" && t != nil && t.state == Cancelling {
		a.cancel(ErrCancelled) // the handler answers, with what it was not told
	}
	if c.asks[a.key] != nil {
		return errorFrame(a.id, &Error{
			Code: CodeInvalidRequest, Message: fmt.Sprintf("request id %s is already open", a.id),
		})
	}
	if len(c.asks) >= maxAsks {
		return errorFrame(a.id, &Error{Code: CodeInternal, Message: "too many open requests"})
	}
	c.asks[a.key] = a
	return nil
}

func (c *Client) claim(a *ask) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claimLocked(a)
}

func (c *Client) claimLocked(a *ask) bool {
	if c.asks[a.key] != a {
		return false
	}
	delete(c.asks, a.key)
	return true
}

// cancelAsksLocked answers the open permission requests of a session. Its
// elicitations end too; the handler has their answers.
func (c *Client) cancelAsksLocked(session string) []*frame {
	var frames []*frame
	for _, a := range c.asks {
		if a.elicits == session {
			a.cancel(ErrCancelled)
		}
		if a.session != session || !c.claimLocked(a) {
			continue
		}
		frames = append(frames, resultFrame(a.id, PermissionOutcome{Cancelled: true}.result()))
		a.cancel(ErrCancelled)
	}
	return frames
}

// withdraw obeys $/cancel_request; on the dispatcher.
func (c *Client) withdraw(ctx context.Context, id json.RawMessage) {
	c.mu.Lock()
	a := c.asks[askKey(id)]
	open := a != nil && c.claimLocked(a)
	c.mu.Unlock()
	if !open {
		return // answered already, or never asked
	}
	a.cancel(ErrCancelled)
	c.post(ctx, errorFrame(a.id, &Error{Code: CodeRequestCancelled, Message: "request cancelled"}))
}
