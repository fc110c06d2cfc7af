package acp

import (
	"cmp"
	"encoding/json"
)

// ToolCall is a tool call, or a change to one: what the agent left out is empty
// or nil. Kinds: read edit delete move search execute think fetch switch_mode
// other. Statuses: pending in_progress completed failed. Both may be unknown.
type ToolCall struct {
	ID, Title, Kind, Status string
	Content                 []ToolContent
	Locations               []Location
	RawInput, RawOutput     json.RawMessage
	// Raw is the object, verbatim.
	Raw json.RawMessage
}

// ToolContent is what a tool call shows. Type is content, diff, terminal, or
// unknown; Raw keeps what has no field here.
type ToolContent struct {
	Type             string
	Block            ContentBlock // of content
	Path             string       // of diff, as the next two
	OldText, NewText string
	TerminalID       string
	Raw              json.RawMessage
}

// Location is a place in a file. Line is 1-based, 0 when not told.
type Location struct {
	Path string
	Line int
}

func newToolCall(raw json.RawMessage) ToolCall {
	t := ToolCall{Raw: raw}
	for key, value := range members(raw) {
		value = nonNull(value)
		switch key {
		case "toolCallId":
			t.ID = str(value)
		case "title":
			t.Title = str(value)
		case "kind":
			t.Kind = str(value)
		case "status":
			t.Status = str(value)
		case "content":
			t.Content = newToolContents(value)
		case "locations":
			t.Locations = newLocations(value)
		case "rawInput":
			t.RawInput = value
		case "rawOutput":
			t.RawOutput = value
		}
	}
	return t
}

func newToolContents(raw json.RawMessage) []ToolContent {
	if raw == nil {
		return nil
	}
	list := []ToolContent{}
	for v := range elements(raw) {
		list = append(list, ToolContent{
			Type:       str(field(v, "type")),
			Block:      newContentBlock(field(v, "content")),
			Path:       str(field(v, "path")),
			OldText:    str(field(v, "oldText")),
			NewText:    str(field(v, "newText")),
			TerminalID: str(field(v, "terminalId")),
			Raw:        v,
		})
	}
	return list
}

func newLocations(raw json.RawMessage) []Location {
	if raw == nil {
		return nil
	}
	list := []Location{}
	for v := range elements(raw) {
		list = append(list, Location{
			Path: str(field(v, "path")),
			Line: int(integer(field(v, "line"))),
		})
	}
	return list
}

// Final tells whether the call has ended. Some agents never end a call that was
// rejected or cancelled.
func (t ToolCall) Final() bool { return t.Status == "completed" || t.Status == "failed" }

// Merge is t after change u: what u tells replaces, lists as a whole. Raw stays
// that of t.
func (t ToolCall) Merge(u ToolCall) ToolCall {
	t.ID = cmp.Or(u.ID, t.ID)
	t.Title = cmp.Or(u.Title, t.Title)
	t.Kind = cmp.Or(u.Kind, t.Kind)
	t.Status = cmp.Or(u.Status, t.Status)
	if u.Content != nil {
		t.Content = u.Content
	}
	if u.Locations != nil {
		t.Locations = u.Locations
	}
	if u.RawInput != nil {
		t.RawInput = u.RawInput
	}
	if u.RawOutput != nil {
		t.RawOutput = u.RawOutput
	}
	return t
}
