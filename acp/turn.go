package acp

import (
	"context"
	"encoding/json"
	"time"
)

// TurnState is where a session's turn stands.
type TurnState int

// The states of a turn; the package comment draws them.
const (
	Idle TurnState = iota
	Prompting
	Cancelling
)

// String is "idle", "prompting" or "cancelling".
func (s TurnState) String() string { return [...]string{"idle", "prompting", "cancelling"}[s] }

// turn is the turn of one session, the last one when idle. Guarded by
// Client.mu.
type turn struct {
	state    TurnState
	call     *call // the prompt, unless idle
	settling bool  // answered, and updates still belong to it
	sealed   bool  // updates are late
	poke     chan struct{}
}

// StopCancelled is the stop reason of a turn after Cancel; spec "Stop Reasons".
const StopCancelled = "cancelled"

// PromptResult is how a turn ended.
type PromptResult struct {
	// StopReason as the agent gave it (end_turn, max_tokens,
	// max_turn_requests, refusal, or something newer); StopCancelled after
	// Cancel, whatever the agent said.
	StopReason string
	// Cancelled tells that Cancel was called in this turn, Unsent that the
	// prompt had not been written then and the agent never saw it.
	Cancelled, Unsent bool
	// Reported is the agent's own stop reason, Fault its error, where Cancel
	// outranked them.
	Reported string
	Fault    error
	// Usage is unstable in the protocol: nobody has settled whether it is per
	// turn or cumulative. Raw is the whole result.
	Usage, Raw json.RawMessage
}

// Prompt sends a message and waits for the end of the turn. It returns
// ErrTurnOpen, sending nothing, while the session's last turn has no answer.
// The end of ctx abandons the wait and nothing else: the turn stays open and
// Cancel is how to end it. By the time Prompt returns, every line before the
// response was handled; Settle waits for what agents send after it.
func (c *Client) Prompt(
	ctx context.Context, id string, blocks []ContentBlock,
) (PromptResult, error) {
	return c.PromptWith(ctx, id, blocks, nil)
}

// PromptWith is Prompt with something in _meta, as the context of a trace.
func (c *Client) PromptWith(
	ctx context.Context, id string, blocks []ContentBlock, meta map[string]string,
) (PromptResult, error) {
	if blocks == nil {
		blocks = []ContentBlock{}
	}
	k := &call{method: "session/prompt", session: id, prompts: true}
	params := map[string]any{"sessionId": id, "prompt": blocks}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	if err := c.send(ctx, k, params); err != nil {
		return PromptResult{}, err
	}
	end, err := k.wait(ctx)
	if err != nil {
		return PromptResult{}, err
	}
	return end.promptResult()
}

func (e callEnd) promptResult() (PromptResult, error) {
	r := PromptResult{
		StopReason: str(field(e.result, "stopReason")),
		Cancelled:  e.cancelled,
		Unsent:     e.unsent,
		Usage:      field(e.result, "usage"),
		Raw:        e.result,
	}
	if _, died := e.err.(*DiedError); died || !e.cancelled {
		return r, e.err
	}
	r.Reported, r.StopReason, r.Fault = r.StopReason, StopCancelled, e.err
	return r, nil
}

// Cancel ends the turn of a session: it answers the session's permission
// requests "cancelled" and sends session/cancel, before all frames that wait,
// or takes the prompt back if none of it was written. It never blocks. The turn
// is over when Prompt returns. Cancel of an idle or already cancelled turn does
// nothing. The error is ErrClosed: there is nobody to cancel any more.
func (c *Client) Cancel(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turns[id]
	if t == nil || t.state != Prompting {
		return nil
	}
	t.state = Cancelling
	if k := t.call; c.box.drop(k.frame) {
		if c.removeLocked(k) {
			k.end = callEnd{cancelled: true, unsent: true}
			close(k.done)
		}
		return nil
	}
	raw, err := encode(outgoing{
		Version: "2.0",
		Method:  "session/cancel",
		Params:  map[string]any{"sessionId": id},
	})
	if err != nil {
		return err
	}
	frames := append(c.cancelAsksLocked(id), &frame{raw: raw, until: t.call.done})
	c.box.putUrgent(frames...)
	if c.box.cause() != nil {
		return ErrClosed
	}
	return nil
}

// Turn tells where a session's turn stands.
func (c *Client) Turn(id string) TurnState {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.turns[id]; t != nil {
		return t.state
	}
	return Idle
}

// Settle waits, after Prompt has returned, until the session was quiet for
// Options.Quiet, at most Options.QuietLimit, and seals the turn: updates until
// the next prompt are then marked Late. The next prompt seals it too. Settle
// returns ctx's cause if ctx ends first.
func (c *Client) Settle(ctx context.Context, id string) error {
	t := c.settling(id)
	if t == nil {
		return nil
	}
	defer c.seal(t)
	quiet, limit := time.NewTimer(c.o.Quiet), time.NewTimer(c.o.QuietLimit)
	defer quiet.Stop()
	defer limit.Stop()
	for {
		select {
		case <-t.poke:
			quiet.Reset(c.o.Quiet)
		case <-quiet.C:
			return nil
		case <-limit.C:
			return nil
		case <-c.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (c *Client) settling(id string) *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.turns[id]; t != nil && t.settling {
		return t
	}
	return nil
}

func (c *Client) seal(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.settling {
		t.settling, t.sealed = false, true
	}
}

func (c *Client) beginTurnLocked(k *call) bool {
	t := c.turns[k.session]
	if t == nil {
		t = &turn{poke: make(chan struct{}, 1)}
		c.turns[k.session] = t
	}
	if t.state != Idle {
		return false
	}
	t.state, t.call = Prompting, k
	t.settling, t.sealed = false, false
	k.turn = t
	return true
}

func (t *turn) endLocked() {
	t.state, t.call, t.settling = Idle, nil, true
}

// touch notes an update of the session and tells whether it is late.
func (c *Client) touch(id string) (late bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turns[id]
	if t == nil {
		return false
	}
	if t.settling {
		select {
		case t.poke <- struct{}{}:
		default:
		}
	}
	return t.sealed
}
