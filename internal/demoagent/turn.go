package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// turn is one turn: a message and what is done about it.
type turn struct {
	a     *agent
	s     *session
	draft draft
	// blocks are the message as it came.
	blocks []block
	calls  int
	stop   string // the stop reason, if not end_turn
	tokens any    // what the turn has used, if the agent tells
	after  func() // done once the turn is answered
}

func (a *agent) turn(ctx context.Context, s *session, id json.RawMessage, m said) {
	t := &turn{a: a, s: s, stop: "end_turn", blocks: m.blocks}
	err := s.talk.add(record{Kind: "user", Text: m.text})
	if err == nil {
		err = t.do(ctx, m.text)
	}
	if ctx.Err() != nil || errors.Is(err, errCancelled) {
		t.stop, err = "cancelled", nil
	}
	if keep := s.talk.add(t.draft.end(t.stop)...); err == nil {
		err = keep
	}
	s.end()
	if err != nil {
		a.wire.fail(id, internal(err))
		return
	}
	answer := map[string]any{"stopReason": t.stop}
	if t.tokens != nil {
		answer["usage"] = t.tokens
	}
	a.wire.reply(id, answer)
	if t.after != nil {
		t.after()
	}
}

// do runs the command that text names.
func (t *turn) do(ctx context.Context, text string) error {
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, " ")
	if first, more, ok := strings.Cut(word, "\n"); ok {
		word, rest = first, more+" "+rest
	}
	word = strings.ToLower(strings.TrimRight(strings.TrimPrefix(word, "/"), ".,!?"))
	if strings.HasPrefix(strings.ToLower(text), "what did i say") {
		word = "recall"
	}
	c, ok := commandNamed(word)
	if !ok {
		t.say("You said: " + text + "\nI am a demo agent without a model; say help for what I can do.")
		return nil
	}
	err := c.do(ctx, t, strings.TrimSpace(rest))
	if errors.Is(err, errUsage) {
		t.say("usage: " + c.usage)
		return nil
	}
	return err
}

func (t *turn) send(update any) {
	t.a.wire.notify("session/update", map[string]any{"sessionId": t.s.id, "update": update})
}

func (t *turn) say(text string) {
	t.draft.say(text)
	t.send(chunk("agent_message_chunk", text))
}

func (t *turn) sayf(format string, args ...any) { t.say(fmt.Sprintf(format, args...)) }

// tool announces a tool call and returns its id.
func (t *turn) tool(kind, title string, input any) string {
	t.calls++
	id := fmt.Sprintf("call-%d-%d", len(t.s.talk.said()), t.calls)
	u := map[string]any{
		"sessionUpdate": "tool_call", "toolCallId": id, "title": title,
		"kind": kind, "status": "pending", "rawInput": input,
	}
	t.draft.update(u)
	t.send(u)
	return id
}

// change sends a change to a tool call; one that ends it is kept.
func (t *turn) change(id, status string, more map[string]any) {
	u := map[string]any{
		"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status,
	}
	for k, v := range more {
		u[k] = v
	}
	if status == "completed" || status == "failed" {
		t.draft.update(u)
	}
	t.send(u)
}

func toolText(text string) map[string]any {
	return map[string]any{"content": []any{map[string]any{
		"type": "content", "content": map[string]any{"type": "text", "text": text},
	}}}
}

type option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

var (
	toolOptions = []option{
		{"allow", "Allow", "allow_once"},
		{"always", "Always allow", "allow_always"},
		{"reject", "Reject", "reject_once"},
	}
	yesNo = []option{{"yes", "Yes", "allow_once"}, {"no", "No", "reject_once"}}
)

// errCancelled is the outcome of a question whose turn was cancelled.
var errCancelled = errors.New("cancelled")

// permit asks the user about a tool call and tells which option was chosen, or
// errCancelled.
func (t *turn) permit(
	ctx context.Context, call map[string]any, options []option,
) (string, error) {
	raw, err := t.a.wire.ask(ctx, "session/request_permission", map[string]any{
		"sessionId": t.s.id, "toolCall": call, "options": options,
	})
	if err != nil {
		return "", fmt.Errorf("ask permission: %w", err)
	}
	var r struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", fmt.Errorf("decode permission: %w", err)
	}
	if r.Outcome.Outcome != "selected" {
		return "", errCancelled
	}
	return r.Outcome.OptionID, nil
}

// allowed tells whether a tool call may be done; it asks unless that was
// settled before. A call that is not allowed has been ended.
func (t *turn) allowed(ctx context.Context, id, kind, title string, input any) (bool, error) {
	if t.s.granted(kind) {
		return true, nil
	}
	choice, err := t.permit(ctx, map[string]any{
		"toolCallId": id, "title": title, "kind": kind, "status": "pending", "rawInput": input,
	}, toolOptions)
	switch {
	case err == nil && choice == "allow":
		return true, nil
	case err == nil && choice == "always":
		t.s.grant(kind)
		return true, nil
	}
	t.change(id, "failed", toolText("not permitted"))
	return false, err
}

func (s *session) granted(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode == modeAuto || s.standing[kind]
}

func (s *session) grant(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standing[kind] = true
}
