// Package fakemodel is a language model for tests: an HTTP server on loopback
// that answers the Responses API by rules and keeps every request, so that a
// test can prove what a real agent sent to its model. It is used by tests
// alone and never by the product.
package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// A Model serves POST /v1/responses. It is safe for concurrent use.
type Model struct {
	server *httptest.Server

	mu   sync.Mutex // guards seen
	seen []string
}

// Start serves on a free port of loopback until Close.
func Start() *Model {
	m := &Model{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", m.respond)
	m.server = httptest.NewServer(mux)
	return m
}

// URL is the base to configure in an agent, ending in /v1.
func (m *Model) URL() string { return m.server.URL + "/v1" }

// Close stops the server.
func (m *Model) Close() { m.server.Close() }

// Seen answers the bodies of all requests so far.
func (m *Model) Seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.seen...)
}

// Last answers the body of the latest request, "" if there was none.
func (m *Model) Last() string {
	all := m.Seen()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

func (m *Model) respond(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.seen = append(m.seen, string(body))
	n := len(m.seen)
	m.mu.Unlock()
	ask, afterTool := last(body)
	w.Header().Set("Content-Type", "text/event-stream")
	s := stream{w: w, id: fmt.Sprintf("resp_%d", n)}
	s.begin()
	if name, ok := strings.CutPrefix(ask, "please write "); ok && !afterTool {
		s.patch(n, strings.Fields(name)[0])
	} else if strings.HasPrefix(ask, "hang") {
		s.text(n, "I will think about that")
		<-r.Context().Done()
		return
	} else {
		s.text(n, "fake model says: "+ask)
	}
	s.end()
}

// last finds the latest words of the user, and whether a tool has answered
// since.
func last(body []byte) (ask string, afterTool bool) {
	var req struct {
		Input []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"input"`
	}
	_ = json.Unmarshal(body, &req)
	for _, in := range req.Input {
		if strings.HasSuffix(in.Type, "_output") {
			afterTool = true
		}
		if in.Role != "user" {
			continue
		}
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(in.Content, &parts) == nil && len(parts) > 0 {
			ask, afterTool = parts[len(parts)-1].Text, false
		}
	}
	return ask, afterTool
}

// A stream writes one response as server-sent events.
type stream struct {
	w     http.ResponseWriter
	id    string
	items []any
}

func (s *stream) send(kind string, fields map[string]any) {
	fields["type"] = kind
	b, _ := json.Marshal(fields) // maps of plain values always marshal
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, b)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *stream) begin() {
	s.send("response.created", map[string]any{"response": map[string]any{"id": s.id, "status": "in_progress"}})
}

func (s *stream) text(n int, text string) {
	id := fmt.Sprintf("msg_%d", n)
	item := map[string]any{
		"type": "message", "role": "assistant", "id": id, "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}},
	}
	s.send("response.output_item.added", map[string]any{"output_index": 0, "item": map[string]any{
		"type": "message", "role": "assistant", "id": id, "status": "in_progress", "content": []any{},
	}})
	s.send("response.output_text.delta", map[string]any{
		"item_id": id, "output_index": 0, "content_index": 0, "delta": text,
	})
	s.item(item)
}

// patch asks the agent to add a file by the tool that codex offers for it.
func (s *stream) patch(n int, name string) {
	s.item(map[string]any{
		"type": "custom_tool_call", "id": fmt.Sprintf("ctc_%d", n), "call_id": fmt.Sprintf("call_%d", n),
		"name": "apply_patch", "status": "completed",
		"input": "*** Begin Patch\n*** Add File: " + name + "\n+written by the fake model\n*** End Patch\n",
	})
}

func (s *stream) item(item any) {
	s.items = append(s.items, item)
	s.send("response.output_item.done", map[string]any{"output_index": len(s.items) - 1, "item": item})
}

func (s *stream) end() {
	s.send("response.completed", map[string]any{"response": map[string]any{
		"id": s.id, "status": "completed", "output": s.items,
		"usage": map[string]any{
			"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details":  map[string]any{"cached_tokens": 0},
			"output_tokens_details": map[string]any{"reasoning_tokens": 0},
		},
	}})
}
