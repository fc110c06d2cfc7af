package acp

import "encoding/json"

// MethodElicit is the request of an agent that asks the person something: a
// form to fill in, or an address to visit.
const MethodElicit = "elicitation/create"

// The actions that answer an elicitation.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// ElicitRequest is an elicitation/create. Mode is form or url, or newer.
type ElicitRequest struct {
	Mode, Message, URL string
	// Schema is the requestedSchema of a form.
	Schema json.RawMessage
	// Raw is the params, verbatim.
	Raw json.RawMessage
}

// NewElicitRequest reads the params of an elicitation/create.
func NewElicitRequest(params json.RawMessage) ElicitRequest {
	r := ElicitRequest{
		Mode: str(field(params, "mode")), Message: str(field(params, "message")),
		URL: str(field(params, "url")), Schema: field(params, "requestedSchema"), Raw: params,
	}
	if r.Mode == "" {
		r.Mode = "form"
		if r.URL != "" {
			r.Mode = "url"
		}
	}
	return r
}

// ElicitResult is the result of an elicitation; content is that of an accepted
// form, nil for none.
func ElicitResult(action string, content json.RawMessage) any {
	m := map[string]any{"action": action}
	if action == ElicitAccept && content != nil {
		m["content"] = content
	}
	return m
}
