package acp

import (
	"context"
	"encoding/json"
	"errors"
)

// SessionParams is what every way into a session takes. Nothing of it is
// remembered by the agent: give the same again to Load and Resume.
type SessionParams struct {
	// CWD is absolute, as the agent sees it.
	CWD                   string
	AdditionalDirectories []string
	MCPServers            []json.RawMessage
	// Meta is "_meta", if not nil.
	Meta json.RawMessage
}

// Session is a conversation of the agent. Modes, ConfigOptions and Models are
// raw, nil when the agent has none; prefer ConfigOptions where there are both.
type Session struct {
	ID                           string
	Modes, ConfigOptions, Models json.RawMessage
	// Raw is the whole result, nil for null.
	Raw json.RawMessage
}

func (p SessionParams) params(id string) map[string]any {
	servers := p.MCPServers
	if servers == nil {
		servers = []json.RawMessage{} // required, be it empty
	}
	m := map[string]any{"cwd": p.CWD, "mcpServers": servers}
	if id != "" {
		m["sessionId"] = id
	}
	if len(p.AdditionalDirectories) > 0 {
		m["additionalDirectories"] = p.AdditionalDirectories
	}
	if p.Meta != nil {
		m["_meta"] = p.Meta
	}
	return m
}

func newSession(raw json.RawMessage, id string) Session {
	return Session{
		ID:            id,
		Modes:         field(raw, "modes"),
		ConfigOptions: array(field(raw, "configOptions")),
		Models:        field(raw, "models"),
		Raw:           raw,
	}
}

// NewSession begins a conversation. Its id is durable only after the first
// turn with most agents.
func (c *Client) NewSession(ctx context.Context, p SessionParams) (Session, error) {
	raw, err := c.Call(ctx, methodNew, p.params(""))
	if err != nil {
		return Session{}, err
	}
	s := newSession(raw, str(field(raw, "sessionId")))
	if s.ID == "" {
		return s, errors.New("session/new: agent gave no session id")
	}
	return s, nil
}

// LoadSession takes a conversation up again. The agent replays it as updates,
// by the spec before the answer; Gemini sends them after it. It returns
// ErrTurnOpen, sending nothing, while the session has a turn: agents lose the
// turn's cancel, or its answer.
func (c *Client) LoadSession(ctx context.Context, id string, p SessionParams) (Session, error) {
	return c.reopen(ctx, "session/load", id, p)
}

// ResumeSession takes a conversation up again without a replay, where the agent
// keeps to the spec. It returns ErrTurnOpen as LoadSession does.
func (c *Client) ResumeSession(ctx context.Context, id string, p SessionParams) (Session, error) {
	return c.reopen(ctx, "session/resume", id, p)
}

func (c *Client) reopen(
	ctx context.Context, method, id string, p SessionParams,
) (Session, error) {
	if c.Turn(id) != Idle {
		return Session{}, ErrTurnOpen
	}
	c.know(id)
	raw, err := c.Call(ctx, method, p.params(id))
	if err != nil {
		return Session{}, err
	}
	return newSession(raw, id), nil
}

// know takes id for a session of this client: the agent may ask for it.
func (c *Client) know(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.knowLocked(id)
}

func (c *Client) knowLocked(id string) {
	if id != "" {
		c.sessions[id] = true
	}
}

// knows tells whether a request that names id can be served. A session that
// nobody here began is a sub-agent's: a question of it would reach nobody.
func (c *Client) knows(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return id == "" || c.sessions[id]
}

// CloseSession makes the agent give up what it holds for the session; only
// where Agent.Close says so.
func (c *Client) CloseSession(ctx context.Context, id string) error {
	_, err := c.Call(ctx, "session/close", map[string]any{"sessionId": id})
	return err
}

// SetMode chooses one of the session's modes. Prefer SetConfigOption where the
// agent has config options.
func (c *Client) SetMode(ctx context.Context, id, modeID string) error {
	_, err := c.Call(ctx, "session/set_mode", map[string]any{"sessionId": id, "modeId": modeID})
	return err
}

// SetConfigOption sets an option to a string or a bool and returns the full
// list of options as they now are, nil if the agent sent none.
func (c *Client) SetConfigOption(
	ctx context.Context, id, configID string, value any,
) (json.RawMessage, error) {
	params := map[string]any{"sessionId": id, "configId": configID, "value": value}
	if _, ok := value.(bool); ok {
		params["type"] = "boolean"
	}
	raw, err := c.Call(ctx, "session/set_config_option", params)
	if err != nil {
		return nil, err
	}
	return array(field(raw, "configOptions")), nil
}
