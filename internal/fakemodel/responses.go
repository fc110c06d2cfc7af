package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// readResponses reads the Responses API of OpenAI: codex.
func readResponses(_ *http.Request, body []byte) request {
	var in struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Input  []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"input"`
		Tools []struct {
			Type       string `json:"type"`
			Name       string `json:"name"`
			Parameters schema `json:"parameters"`
		} `json:"tools"`
	}
	_ = json.Unmarshal(body, &in) // what cannot be read is answered like silence
	r := request{model: in.Model, stream: in.Stream}
	for _, i := range in.Input {
		if strings.HasSuffix(i.Type, "_output") {
			r.afterTool = true
		}
		if i.Role != "user" {
			continue
		}
		all, _ := texts(i.Content)
		for _, text := range all {
			r.hear(text)
		}
	}
	for _, t := range in.Tools {
		r.tools = append(r.tools, tool{name: t.Name, free: t.Type == "custom", fields: t.Parameters.fields()})
	}
	return r
}

type responses struct {
	wire
	n     int
	items []any
}

func speakResponses(w http.ResponseWriter, r request) voice {
	s := &responses{wire: newWire(w, r.stream), n: r.n}
	s.send("response.created", object{"response": object{"id": s.id("resp"), "status": "in_progress"}})
	return s
}

func (s *responses) id(kind string) string { return fmt.Sprintf("%s_%d", kind, s.n) }

func (s *responses) send(kind string, fields object) {
	fields["type"] = kind
	s.event(kind, fields)
}

func (s *responses) text(text string) {
	id := s.id("msg")
	s.send("response.output_item.added", object{"output_index": 0, "item": object{
		"type": "message", "role": "assistant", "id": id, "status": "in_progress", "content": []any{},
	}})
	s.send("response.output_text.delta", object{
		"item_id": id, "output_index": 0, "content_index": 0, "delta": text,
	})
	s.item(object{
		"type": "message", "role": "assistant", "id": id, "status": "completed",
		"content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}},
	})
}

func (s *responses) call(t tool, args map[string]any) {
	if t.free {
		s.item(object{
			"type": "custom_tool_call", "id": s.id("ctc"), "call_id": s.id("call"),
			"name": t.name, "status": "completed", "input": args["input"],
		})
		return
	}
	s.item(object{
		"type": "function_call", "id": s.id("fc"), "call_id": s.id("call"),
		"name": t.name, "status": "completed", "arguments": marshal(args),
	})
}

func (s *responses) item(item any) {
	s.items = append(s.items, item)
	s.send("response.output_item.done", object{"output_index": len(s.items) - 1, "item": item})
}

func (s *responses) end() {
	whole := object{
		"id": s.id("resp"), "object": "response", "status": "completed", "output": s.items,
		"usage": object{
			"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details":  object{"cached_tokens": 0},
			"output_tokens_details": object{"reasoning_tokens": 0},
		},
	}
	s.send("response.completed", object{"response": whole})
	s.document(whole)
}
