package demoagent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"sync"
)

// message is any JSON-RPC message from the client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *fault          `json:"error"`
}

// fault is a JSON-RPC error.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error is the message.
func (f *fault) Error() string { return f.Message }

// block is a content block, as far as this agent reads it.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
	Resource struct {
		URI      string `json:"uri"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

// wire writes to the client and matches its answers. It is safe for concurrent
// use.
type wire struct {
	mu   sync.Mutex // over the fields below, and a whole line
	out  io.Writer
	next int
	open map[string]chan message
}

func newWire(out io.Writer) *wire { return &wire{out: out, open: map[string]chan message{}} }

// raw writes bytes as they are. Write errors are not told: the client is gone,
// and the end of stdin follows.
func (w *wire) raw(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.out.Write(b)
}

func (w *wire) send(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) == nil {
		w.raw(b.Bytes())
	}
}

func (w *wire) reply(id json.RawMessage, result any) {
	w.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (w *wire) fail(id json.RawMessage, f *fault) {
	w.send(map[string]any{"jsonrpc": "2.0", "id": id, "error": f})
}

func (w *wire) notify(method string, params any) {
	w.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request and waits for its answer. When ctx ends first it takes
// the request back.
func (w *wire) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answer := w.register()
	w.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		w.forget(id)
		w.notify("$/cancel_request", map[string]any{"requestId": id})
		return nil, ctx.Err()
	}
}

func (w *wire) register() (int, chan message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := w.next
	w.next++
	answer := make(chan message, 1)
	w.open[strconv.Itoa(id)] = answer
	return id, answer
}

func (w *wire) forget(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, strconv.Itoa(id))
}

func (w *wire) answered(m message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := string(bytes.Trim(m.ID, `"`))
	if answer, ok := w.open[key]; ok {
		delete(w.open, key)
		answer <- m
	}
}
