package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// readChat reads the Chat Completions API of OpenAI: copilot, opencode, pi,
// qwen, cline, kilo.
func readChat(_ *http.Request, body []byte) request {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name       string `json:"name"`
				Parameters schema `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	_ = json.Unmarshal(body, &in) // what cannot be read is answered like silence
	r := request{model: in.Model, stream: in.Stream}
	for _, m := range in.Messages {
		switch m.Role {
		case "tool":
			r.afterTool = true
		case "user":
			all, _ := texts(m.Content)
			for _, text := range all {
				r.hear(text)
			}
		}
	}
	for _, t := range in.Tools {
		r.tools = append(r.tools, tool{name: t.Function.Name, fields: t.Function.Parameters.fields()})
	}
	return r
}

type chat struct {
	wire
	n       int
	model   string
	message object
	reason  string
}

func speakChat(w http.ResponseWriter, r request) voice {
	return &chat{
		wire: newWire(w, r.stream), n: r.n, model: r.model,
		message: object{"role": "assistant", "content": nil}, reason: "stop",
	}
}

func (s *chat) whole(kind string, choice object) object {
	choice["index"] = 0
	return object{
		"id": fmt.Sprintf("chatcmpl-%d", s.n), "object": kind, "created": 1767225600, "model": s.model,
		"choices": []any{choice},
	}
}

func (s *chat) delta(delta object, reason any) {
	s.event("", s.whole("chat.completion.chunk", object{"delta": delta, "finish_reason": reason}))
}

func (s *chat) text(text string) {
	s.message["content"] = text
	s.delta(object{"role": "assistant", "content": text}, nil)
}

func (s *chat) call(t tool, args map[string]any) {
	call := object{
		"index": 0, "id": fmt.Sprintf("call_%d", s.n), "type": "function",
		"function": object{"name": t.name, "arguments": marshal(args)},
	}
	s.message["tool_calls"], s.reason = []any{call}, "tool_calls"
	s.delta(object{"role": "assistant", "content": nil, "tool_calls": []any{call}}, nil)
}

func (s *chat) end() {
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	last := s.whole("chat.completion.chunk", object{"delta": object{}, "finish_reason": s.reason})
	last["usage"] = usage
	s.event("", last)
	if s.stream {
		s.raw("data: [DONE]\n\n")
	}
	all := s.whole("chat.completion", object{"message": s.message, "finish_reason": s.reason})
	all["usage"] = usage
	s.document(all)
}
