package acp

import "encoding/json"

// Kinds of permission options; spec "Tool Calls, Permission Options". They are
// hints of the agent. An unknown kind allows nothing.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// PermissionOption is one answer the agent offers.
type PermissionOption struct {
	ID, Name, Kind string
}

// PermissionRequest is a session/request_permission. Its tool call may never
// have been announced by an update, and may lack everything but an id.
type PermissionRequest struct {
	SessionID string
	ToolCall  ToolCall
	Options   []PermissionOption
	// Raw is the params, verbatim.
	Raw json.RawMessage
}

// PermissionOutcome answers a PermissionRequest. An OptionID that was not
// offered is sent as cancelled, as is the zero value.
type PermissionOutcome struct {
	OptionID  string
	Cancelled bool
}

func newPermissionRequest(params json.RawMessage) PermissionRequest {
	r := PermissionRequest{Raw: params}
	for key, value := range members(params) {
		switch key {
		case "sessionId":
			r.SessionID = str(value)
		case "toolCall":
			r.ToolCall = newToolCall(value)
		case "options":
			r.Options = newPermissionOptions(value)
		}
	}
	return r
}

func newPermissionOptions(raw json.RawMessage) []PermissionOption {
	var options []PermissionOption
	for v := range elements(raw) {
		o := PermissionOption{
			ID:   str(field(v, "optionId")),
			Name: str(field(v, "name")),
			Kind: str(field(v, "kind")),
		}
		if o.ID != "" {
			options = append(options, o)
		}
	}
	return options
}

// Choose finds the answer by kind, never by position: the first allow_once,
// else allow_always if a standing grant is permitted; to deny, reject_once,
// else reject_always. Where nothing fits the outcome is cancelled.
func (r PermissionRequest) Choose(allow, standing bool) PermissionOutcome {
	kinds := []string{RejectOnce, RejectAlways}
	if allow {
		kinds = []string{AllowOnce}
	}
	if allow && standing {
		kinds = append(kinds, AllowAlways)
	}
	for _, kind := range kinds {
		for _, o := range r.Options {
			if o.Kind == kind {
				return PermissionOutcome{OptionID: o.ID}
			}
		}
	}
	return PermissionOutcome{Cancelled: true}
}

// checked makes an outcome that was not offered a cancelled one.
func (r PermissionRequest) checked(o PermissionOutcome) PermissionOutcome {
	for _, offered := range r.Options {
		if !o.Cancelled && offered.ID == o.OptionID {
			return o
		}
	}
	return PermissionOutcome{Cancelled: true}
}

func (o PermissionOutcome) result() any {
	if o.Cancelled || o.OptionID == "" {
		return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
	}
	return map[string]any{"outcome": map[string]any{
		"outcome": "selected", "optionId": o.OptionID,
	}}
}
