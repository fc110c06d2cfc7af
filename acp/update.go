package acp

import "encoding/json"

// Kinds of session/update in schema 1.21. Others exist and are passed on.
const (
	KindUserChunk    = "user_message_chunk"
	KindAgentChunk   = "agent_message_chunk"
	KindThoughtChunk = "agent_thought_chunk"
	KindToolCall     = "tool_call"
	KindToolUpdate   = "tool_call_update"
	KindPlan         = "plan"
	KindCommands     = "available_commands_update"
	KindMode         = "current_mode_update"
	KindConfig       = "config_option_update"
	KindInfo         = "session_info_update"
	KindUsage        = "usage_update"
)

// Update is one session/update. The receiver may keep it, but not for long: it
// shares up to 64 KiB of memory with what came together with it, unless that is
// the line's own length.
type Update struct {
	SessionID string
	// Kind is sessionUpdate, verbatim; empty when the agent sent none.
	Kind string
	// Raw is the update object, verbatim.
	Raw json.RawMessage
	// Late tells that the turn was sealed before it came; see Client.Settle.
	Late bool

	content json.RawMessage // of the Raw of a chunk, where it is known
}

// newUpdate is the update of an envelope, session being that of the last one:
// most updates are of the same.
func newUpdate(e envelope, session string) Update {
	u := Update{SessionID: session, Raw: e.update}
	if !isString(e.session, session) {
		u.SessionID = str(e.session)
	}
	if u.Raw == nil {
		u.Raw = e.params
		return u
	}
	u.Kind = word(nonNull(e.kind))
	if u.IsChunk() {
		u.content = nonNull(e.content)
	}
	return u
}

// IsChunk tells whether u is a piece of a message or of a thought.
func (u Update) IsChunk() bool {
	return u.Kind == KindUserChunk || u.Kind == KindAgentChunk || u.Kind == KindThoughtChunk
}

// Text is the text of a chunk; false for other kinds and other content. Content
// given as an array is joined.
func (u Update) Text() (string, bool) {
	var text string
	found := false
	for v := range elements(u.blocks()) {
		if b := newContentBlock(v); b.Type == BlockText {
			text += b.Text // nearly always the only one
			found = true
		}
	}
	return text, found
}

// Content is the content block of a chunk.
func (u Update) Content() (ContentBlock, bool) {
	for v := range elements(u.blocks()) {
		return newContentBlock(v), true
	}
	return ContentBlock{}, false
}

// blocks is the content of a chunk.
func (u Update) blocks() json.RawMessage {
	if u.content == nil && u.IsChunk() {
		return field(u.Raw, "content")
	}
	return u.content
}

// MessageID joins chunks of one message; few agents send it.
func (u Update) MessageID() string { return str(field(u.Raw, "messageId")) }

// ToolCall is the tool call of a tool_call or tool_call_update.
func (u Update) ToolCall() (ToolCall, bool) {
	if u.Kind != KindToolCall && u.Kind != KindToolUpdate {
		return ToolCall{}, false
	}
	return newToolCall(u.Raw), true
}

// PlanEntry is one entry of a plan; a plan update replaces the whole plan.
type PlanEntry struct {
	Content, Priority, Status string
}

// Plan is the plan of a plan update.
func (u Update) Plan() ([]PlanEntry, bool) {
	if u.Kind != KindPlan {
		return nil, false
	}
	entries := []PlanEntry{}
	for v := range elements(field(u.Raw, "entries")) {
		entries = append(entries, PlanEntry{
			Content:  str(field(v, "content")),
			Priority: str(field(v, "priority")),
			Status:   str(field(v, "status")),
		})
	}
	return entries, true
}

// Usage is a usage_update: tokens in the context, size of its window, and the
// cumulative cost of the session, where the agent tells.
type Usage struct {
	Used, Size int64
	HasCost    bool
	Cost       float64
	Currency   string
}

// Usage is the usage of a usage_update.
func (u Update) Usage() (Usage, bool) {
	if u.Kind != KindUsage {
		return Usage{}, false
	}
	cost := field(u.Raw, "cost")
	amount, ok := num(field(cost, "amount"))
	return Usage{
		Used:     integer(field(u.Raw, "used")),
		Size:     integer(field(u.Raw, "size")),
		HasCost:  ok,
		Cost:     amount,
		Currency: str(field(cost, "currency")),
	}, true
}

// Mode is the mode of a current_mode_update. One page of the spec names the
// field modeId.
func (u Update) Mode() (string, bool) {
	if u.Kind != KindMode {
		return "", false
	}
	for _, key := range []string{"currentModeId", "modeId"} {
		if id := str(field(u.Raw, key)); id != "" {
			return id, true
		}
	}
	return "", false
}

// ConfigOptions is the full list of a config_option_update.
func (u Update) ConfigOptions() (json.RawMessage, bool) {
	if u.Kind != KindConfig {
		return nil, false
	}
	list := array(field(u.Raw, "configOptions"))
	return list, list != nil
}

// Title is the title of a session_info_update; false when it is unchanged, ""
// when it is cleared.
func (u Update) Title() (string, bool) {
	if u.Kind != KindInfo {
		return "", false
	}
	for key, value := range members(u.Raw) {
		if key == "title" {
			return str(value), true
		}
	}
	return "", false
}

// Command is a slash command that the agent takes; Hint says what may follow.
type Command struct {
	Name, Description, Hint string
}

// Commands is the full list of an available_commands_update.
func (u Update) Commands() ([]Command, bool) {
	if u.Kind != KindCommands {
		return nil, false
	}
	list := []Command{}
	for v := range elements(field(u.Raw, "availableCommands")) {
		c := Command{
			Name:        str(field(v, "name")),
			Description: str(field(v, "description")),
			Hint:        str(field(field(v, "input"), "hint")),
		}
		if c.Name != "" {
			list = append(list, c)
		}
	}
	return list, true
}
