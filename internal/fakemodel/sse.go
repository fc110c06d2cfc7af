package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// A wire is the HTTP side of an answer: server-sent events as they come, or one
// document at the end.
type wire struct {
	w      http.ResponseWriter
	stream bool
}

func newWire(w http.ResponseWriter, stream bool) wire {
	kind := "application/json"
	if stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	return wire{w: w, stream: stream}
}

// event sends one event; name may be "". It does nothing where the answer is
// to be one document.
func (s wire) event(name string, v any) {
	if !s.stream {
		return
	}
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	b, _ := json.Marshal(v) // maps of plain values always marshal
	s.raw("data: " + string(b) + "\n\n")
}

// document sends the whole answer where it is not a stream.
func (s wire) document(v any) {
	if s.stream {
		return
	}
	b, _ := json.Marshal(v) // maps of plain values always marshal
	s.raw(string(b))
}

func (s wire) raw(text string) {
	fmt.Fprint(s.w, text)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// object is JSON as it is written by hand.
type object = map[string]any

func marshal(v any) string {
	b, _ := json.Marshal(v) // maps of plain values always marshal
	return string(b)
}
