package tty

import (
	"encoding/json"
	"strings"

	"blaise.dev/blaise/transcript"
)

// An update is what a story reads of an agent's session/update.
type update struct {
	SessionUpdate string
	Content       json.RawMessage
	ToolCallID    string
	Title, Status string
	Entries       []step
	CurrentModeID string
}

// A step is one of the agent's plan.
type step struct{ Content, Status string }

// updateOf reads an update, given bare or as the params around it.
func updateOf(data json.RawMessage) update {
	var d struct {
		update
		Update *update
	}
	if json.Unmarshal(data, &d) != nil {
		return update{} // shown as nothing: it is in the record
	}
	if d.Update != nil {
		return *d.Update
	}
	return d.update
}

func (s *Story) update(e transcript.Event) []string {
	u := updateOf(e.Data)
	switch u.SessionUpdate {
	case "agent_message_chunk":
		lines := append(s.endThought(), s.endOutput()...)
		return append(lines, s.say(s.speech.add(words(u.Content)))...)
	case "agent_thought_chunk":
		lines := append(s.say([]string{s.speech.rest()}), s.endOutput()...)
		s.thought.WriteString(words(u.Content))
		return lines
	case "tool_call", "tool_call_update":
		lines := append(s.endSpeech(), s.endOutput()...)
		return append(lines, s.call(e, u)...)
	case "plan":
		s.plan = u.Entries
		return nil
	case "current_mode_update":
		return append(s.endSpeech(), s.lines(s.Look.Dim(s.Look.Cut("mode: "+OneLine(u.CurrentModeID, 60))))...)
	case "usage_update", "available_commands_update", "config_option_update", "session_info_update", "user_message_chunk":
		return nil
	}
	if text := transcript.Line(e); text != "" {
		return append(s.endSpeech(), s.lines(s.Look.Dim(s.Look.Cut(text)))...)
	}
	return nil
}

// words is the text of a block, or what the block is.
func words(content json.RawMessage) string {
	var block struct{ Type, Text, URI string }
	if json.Unmarshal(content, &block) != nil {
		return ""
	}
	if block.Type == "text" {
		return block.Text
	}
	return "\n\n[" + strings.TrimSpace(block.Type+" "+block.URI) + "]\n\n"
}

// Step is the step of the agent's plan that is under way, and how many there are
// before it; "" without a plan or when it is done.
func (s *Story) Step() (text string, n, of int) {
	for i, p := range s.plan {
		if p.Status != "completed" {
			return OneLine(p.Content, 60), i + 1, len(s.plan)
		}
	}
	return "", 0, 0
}
