package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
)

// call is a request of ours that waits for its answer.
type call struct {
	id      int64
	method  string
	session string
	prompts bool
	turn    *turn // the turn that ends with it; nil for all but prompts
	frame   *frame
	written atomic.Int32 // a Written

	done chan struct{} // closed when the fields below are set
	end  callEnd
}

// callEnd is how a call ended.
type callEnd struct {
	result    json.RawMessage
	err       error
	cancelled bool // Cancel was called while it was open
	unsent    bool // and it was taken back before it was written
}

// Call sends a request and waits for its result, nil for null. An agent's error
// is an *Error, the end of the connection a *DiedError. The end of ctx only
// abandons the wait: the request may be on its way and have its effect.
func (c *Client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	k := &call{method: method}
	if err := c.send(ctx, k, params); err != nil {
		return nil, err
	}
	end, err := k.wait(ctx)
	if err != nil {
		return nil, err
	}
	return end.result, end.err
}

// Notify sends a notification. It returns when the frame is queued, not when
// it is written.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	raw, err := encode(outgoing{Version: "2.0", Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	if err := c.box.put(ctx, &frame{raw: raw}); err != nil {
		return c.died(method, Unsent, err)
	}
	return nil
}

type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  any             `json:"params,omitempty"`
}

// send registers k and queues its frame. After an error k is not registered.
func (c *Client) send(ctx context.Context, k *call, params any) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", k.method, context.Cause(ctx))
	}
	if err := c.register(k, params); err != nil {
		return err
	}
	if err := c.box.put(ctx, k.frame); err != nil {
		if !c.forget(k) {
			return nil // it was completed meanwhile; wait tells how
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", k.method, err)
		}
		return c.died(k.method, Unsent, err)
	}
	return nil
}

func (c *Client) register(k *call, params any) error {
	k.id = c.ids.Add(1)
	raw, err := encode(outgoing{
		Version: "2.0",
		ID:      strconv.AppendInt(nil, k.id, 10),
		Method:  k.method,
		Params:  params,
	})
	if err != nil {
		return fmt.Errorf("encode %s: %w", k.method, err)
	}
	k.done, k.frame = make(chan struct{}), &frame{raw: raw, call: k}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return &DiedError{Method: k.method, Noise: c.lastNoise, Cause: c.ended}
	}
	if k.prompts && !c.beginTurnLocked(k) {
		return ErrTurnOpen
	}
	c.calls[k.id] = k
	c.knowLocked(k.session)
	return nil
}

func (k *call) wait(ctx context.Context) (callEnd, error) {
	select {
	case <-k.done:
		return k.end, nil
	case <-ctx.Done():
	}
	select {
	case <-k.done: // both at once: the answer counts
		return k.end, nil
	default:
		return callEnd{}, fmt.Errorf("wait for %s: %w", k.method, context.Cause(ctx))
	}
}

// forget takes k out of the table; false when somebody has completed it.
func (c *Client) forget(k *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.removeLocked(k)
}

func (c *Client) removeLocked(k *call) bool {
	if c.calls[k.id] != k {
		return false
	}
	delete(c.calls, k.id)
	if k.turn != nil {
		k.turn.endLocked()
	}
	return true
}

// complete ends k, once. The turn ends in the same moment, so that the next
// prompt is accepted as soon as this one has returned.
func (c *Client) complete(k *call, end callEnd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	end.cancelled = k.turn != nil && k.turn.state == Cancelling
	if !c.removeLocked(k) {
		return
	}
	if k.method == methodNew {
		c.knowLocked(str(field(end.result, "sessionId")))
	}
	k.end = end
	close(k.done)
}

// find gives the call that the id of a response means. Where a lone call may be
// guessed (an error without an id, a gap) it is the only open one, if there is
// just one.
func (c *Client) find(id json.RawMessage, guess bool) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := callID(id); ok {
		return c.calls[n]
	}
	if !guess || nonNull(id) != nil || len(c.calls) != 1 {
		return nil
	}
	for _, k := range c.calls {
		return k
	}
	return nil
}

// failAll ends every open call with cause, and makes later ones fail with it.
func (c *Client) failAll(cause error) {
	c.mu.Lock()
	c.ended = cause
	var open []*call
	for _, k := range c.calls {
		open = append(open, k)
	}
	c.mu.Unlock()
	for _, k := range open {
		c.fail(k, cause)
	}
}

func (c *Client) fail(k *call, cause error) {
	c.complete(k, callEnd{err: c.died(k.method, Written(k.written.Load()), cause)})
}

func (c *Client) died(method string, w Written, cause error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &DiedError{Method: method, Written: w, Noise: c.lastNoise, Cause: cause}
}
