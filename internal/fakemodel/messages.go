package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// readMessages reads the Messages API of Anthropic: claude.
func readMessages(_ *http.Request, body []byte) request {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string `json:"name"`
			Schema schema `json:"input_schema"`
		} `json:"tools"`
	}
	_ = json.Unmarshal(body, &in) // what cannot be read is answered like silence
	r := request{model: in.Model, stream: in.Stream}
	for _, m := range in.Messages {
		if m.Role != "user" {
			continue
		}
		all, results := texts(m.Content)
		if results > 0 {
			r.afterTool = true
		}
		for _, text := range all {
			r.hear(text)
		}
	}
	for _, t := range in.Tools {
		r.tools = append(r.tools, tool{name: t.Name, fields: t.Schema.fields()})
	}
	return r
}

type messages struct {
	wire
	n      int
	whole  object
	blocks []any
	reason string
}

func speakMessages(w http.ResponseWriter, r request) voice {
	s := &messages{wire: newWire(w, r.stream), n: r.n, reason: "end_turn"}
	s.whole = object{
		"id": fmt.Sprintf("msg_%d", r.n), "type": "message", "role": "assistant", "model": r.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": 10, "output_tokens": 1},
	}
	s.send("message_start", object{"message": s.whole})
	return s
}

func (s *messages) send(kind string, fields object) {
	fields["type"] = kind
	s.event(kind, fields)
}

// block sends one block: empty as it begins, what is added to it, and its end.
func (s *messages) block(empty, delta, block object) {
	at := len(s.blocks)
	s.blocks = append(s.blocks, block)
	s.send("content_block_start", object{"index": at, "content_block": empty})
	s.send("content_block_delta", object{"index": at, "delta": delta})
	s.send("content_block_stop", object{"index": at})
}

func (s *messages) text(text string) {
	s.block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text},
		object{"type": "text", "text": text})
}

func (s *messages) call(t tool, args map[string]any) {
	id := fmt.Sprintf("toolu_%d", s.n)
	s.reason = "tool_use"
	s.block(object{"type": "tool_use", "id": id, "name": t.name, "input": object{}},
		object{"type": "input_json_delta", "partial_json": marshal(args)},
		object{"type": "tool_use", "id": id, "name": t.name, "input": args})
}

func (s *messages) end() {
	s.send("message_delta", object{
		"delta": object{"stop_reason": s.reason, "stop_sequence": nil},
		"usage": object{"output_tokens": 5},
	})
	s.send("message_stop", object{})
	s.whole["content"], s.whole["stop_reason"] = s.blocks, s.reason
	s.document(s.whole)
}
