package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
)

// ProtocolVersion is the version spoken here. Version 2 is a draft.
const ProtocolVersion = 1

// ClientInfo names us to the agent.
type ClientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// ClientCapabilities is what we offer the agent. The zero value, nothing, is
// right for most: agents then use tools of their own.
type ClientCapabilities struct {
	ReadTextFile, WriteTextFile bool
	// Terminal promises all five terminal methods.
	Terminal bool
	// BooleanConfig accepts config options of type boolean.
	BooleanConfig bool
	// ElicitForm and ElicitURL take questions to the person.
	ElicitForm, ElicitURL bool
	// Meta is "_meta", if not nil.
	Meta json.RawMessage
}

// MarshalJSON writes the capabilities as the protocol has them.
func (c ClientCapabilities) MarshalJSON() ([]byte, error) {
	m := map[string]any{
		"fs": map[string]bool{
			"readTextFile": c.ReadTextFile, "writeTextFile": c.WriteTextFile,
		},
		"terminal": c.Terminal,
	}
	if c.BooleanConfig {
		m["session"] = map[string]any{"configOptions": map[string]any{"boolean": struct{}{}}}
	}
	elicitation := map[string]any{}
	if c.ElicitForm {
		elicitation["form"] = struct{}{}
	}
	if c.ElicitURL {
		elicitation["url"] = struct{}{}
	}
	if len(elicitation) > 0 {
		m["elicitation"] = elicitation
	}
	if c.Meta != nil {
		m["_meta"] = c.Meta
	}
	return json.Marshal(m)
}

// AuthMethod is a way to log in. Type is agent (also when absent), terminal, or
// unknown; only an agent method may be given to Authenticate.
type AuthMethod struct {
	ID, Name, Description, Type string
	Raw                         json.RawMessage
}

// Agent is what the agent says of itself. A flag is no proof: agents advertise
// session/load and fail at it.
type Agent struct {
	Name, Title, Version                   string
	ProtocolVersion                        int // 0 when not understood
	LoadSession, Resume, Close, List, Fork bool
	Image, Audio, EmbeddedContext          bool
	MCPHTTP, MCPSSE, AdditionalDirectories bool
	AuthMethods                            []AuthMethod
	// Raw is the whole result, to be kept with the session.
	Raw json.RawMessage
}

// Initialize opens the conversation with the agent. The error is ErrProtocol,
// with the Agent filled, when the agent insists on another version.
func (c *Client) Initialize(
	ctx context.Context, info ClientInfo, caps ClientCapabilities,
) (Agent, error) {
	raw, err := c.Call(ctx, "initialize", map[string]any{
		"protocolVersion":    ProtocolVersion,
		"clientInfo":         info,
		"clientCapabilities": caps,
	})
	if err != nil {
		return Agent{}, err
	}
	a := newAgent(raw)
	if a.ProtocolVersion > ProtocolVersion {
		return a, fmt.Errorf("%w: it answered %d", ErrProtocol, a.ProtocolVersion)
	}
	return a, nil
}

func newAgent(raw json.RawMessage) Agent {
	info := field(raw, "agentInfo")
	caps := field(raw, "agentCapabilities")
	session := field(caps, "sessionCapabilities")
	prompt := field(caps, "promptCapabilities")
	mcp := field(caps, "mcpCapabilities")
	return Agent{
		Name:                  str(field(info, "name")),
		Title:                 str(field(info, "title")),
		Version:               str(field(info, "version")),
		ProtocolVersion:       int(integer(field(raw, "protocolVersion"))),
		LoadSession:           capable(field(caps, "loadSession")),
		Resume:                capable(field(session, "resume")),
		Close:                 capable(field(session, "close")),
		List:                  capable(field(session, "list")),
		Fork:                  capable(field(session, "fork")),
		AdditionalDirectories: capable(field(session, "additionalDirectories")),
		Image:                 capable(field(prompt, "image")),
		Audio:                 capable(field(prompt, "audio")),
		EmbeddedContext:       capable(field(prompt, "embeddedContext")),
		MCPHTTP:               capable(field(mcp, "http")),
		MCPSSE:                capable(field(mcp, "sse")),
		AuthMethods:           newAuthMethods(field(raw, "authMethods")),
		Raw:                   raw,
	}
}

func newAuthMethods(raw json.RawMessage) []AuthMethod {
	var list []AuthMethod
	for v := range elements(raw) {
		m := AuthMethod{
			ID:          str(field(v, "id")),
			Name:        str(field(v, "name")),
			Description: str(field(v, "description")),
			Type:        cmp.Or(str(field(v, "type")), "agent"),
			Raw:         v,
		}
		if m.ID != "" {
			list = append(list, m)
		}
	}
	return list
}

// AuthMethodsOf gives the methods that came with an authentication error.
func AuthMethodsOf(err error) []AuthMethod {
	e, ok := agentError(err)
	if !ok {
		return nil
	}
	return newAuthMethods(field(e.Data, "authMethods"))
}

// Authenticate logs in with a method of type agent. It never opens a browser;
// the agent may.
func (c *Client) Authenticate(ctx context.Context, methodID string) error {
	_, err := c.Call(ctx, "authenticate", map[string]any{"methodId": methodID})
	return err
}
