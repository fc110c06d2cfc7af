package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
)

// updateFields are the fields of an ACP session/update that a line shows.
type updateFields struct {
	SessionUpdate string
	Content       json.RawMessage // a block; a list of them in a tool call
	Status        string
	Kind          string
	Entries       []struct{ Content, Status string }
	CurrentModeID string
	Title         string
	Used, Size    float64
	Cost          struct {
		Amount   any
		Currency string
	}
	AvailableCommands []struct{ Name string }
}

// updateLine shows an update, given bare or as the params around it.
func updateLine(data json.RawMessage) string {
	var d struct {
		updateFields
		Update *updateFields
	}
	if json.Unmarshal(data, &d) != nil {
		return "update: " + string(data)
	}
	u := d.updateFields
	if d.Update != nil {
		u = *d.Update
	}
	switch u.SessionUpdate {
	case "agent_message_chunk":
		return contentText(u.Content)
	case "user_message_chunk":
		return join(" ", "user:", contentText(u.Content))
	case "agent_thought_chunk":
		return join(" ", "thinks:", contentText(u.Content))
	case "tool_call", "tool_call_update":
		return join(" ", "tool:", u.Title, paren(u.Status))
	case "plan":
		return "plan: " + planText(u)
	case "usage_update":
		return join(", ", fmt.Sprintf("usage: context %.0f of %.0f", u.Used, u.Size),
			join(" ", str(u.Cost.Amount), u.Cost.Currency))
	case "available_commands_update":
		return fmt.Sprintf("the agent takes %d commands", len(u.AvailableCommands))
	case "current_mode_update":
		return join(" ", "mode:", u.CurrentModeID)
	}
	return u.SessionUpdate
}

func planText(u updateFields) string {
	var parts []string
	for _, e := range u.Entries {
		parts = append(parts, join(" ", e.Content, paren(e.Status)))
	}
	return strings.Join(parts, "; ")
}

// contentText is the text of a content block, its type if it has none.
func contentText(content json.RawMessage) string {
	var block struct{ Type, Text, URI string }
	if json.Unmarshal(content, &block) != nil {
		return ""
	}
	if block.Text != "" || block.Type == "text" {
		return block.Text
	}
	return join(" ", paren(block.Type), block.URI)
}
