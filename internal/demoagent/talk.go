package demoagent

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// keepText is how much of one answer is kept.
const keepText = 64 << 10

// record is one line of a conversation's file.
type record struct {
	// Kind is user (Text), update (Update), end (Text: the stop reason) or
	// forgotten.
	Kind   string          `json:"kind"`
	Text   string          `json:"text,omitempty"`
	Update json.RawMessage `json:"update,omitempty"`
}

var errNoTalk = errors.New("no such conversation")

// talk is a conversation on disk.
type talk struct {
	path string

	mu      sync.Mutex // over the fields below
	records []record
}

func newID() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails
	return "demo-" + hex.EncodeToString(b)
}

// createTalk makes a new conversation, durable at once.
func createTalk(home, id string) (*talk, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make home: %w", err)
	}
	t := &talk{path: filepath.Join(home, id+".jsonl")}
	return t, t.add()
}

// openTalk reads a conversation; errNoTalk if there is none, or it was
// forgotten. A line cut off by a kill is left out.
func openTalk(home, id string) (*talk, error) {
	if !validID(id) {
		return nil, errNoTalk
	}
	t := &talk{path: filepath.Join(home, id+".jsonl")}
	data, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoTalk
	}
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.Kind == "forgotten" {
			return nil, errNoTalk
		}
		t.records = append(t.records, r)
	}
	return t, nil
}

// validID keeps an id from being a path.
func validID(id string) bool {
	for _, c := range id {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

// add appends records and returns when they are on disk. The newline in front
// ends a line that a kill has cut off.
func (t *talk) add(records ...record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records = append(t.records, records...)
	var b bytes.Buffer
	b.WriteByte('\n')
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Sync(), f.Close())
}

// said lists the user's messages.
func (t *talk) said() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var said []string
	for _, r := range t.records {
		if r.Kind == "user" {
			said = append(said, r.Text)
		}
	}
	return said
}

// replay gives the conversation as updates.
func (t *talk) replay() []any {
	t.mu.Lock()
	defer t.mu.Unlock()
	var updates []any
	for _, r := range t.records {
		switch r.Kind {
		case "user":
			updates = append(updates, chunk("user_message_chunk", r.Text))
		case "update":
			updates = append(updates, r.Update)
		}
	}
	return updates
}

func chunk(kind, text string) map[string]any {
	return map[string]any{
		"sessionUpdate": kind,
		"content":       map[string]any{"type": "text", "text": text},
	}
}

// draft collects what the agent does in a turn, text joined, until it is kept.
type draft struct {
	records []record
	text    strings.Builder
}

func (d *draft) say(text string) {
	d.text.WriteString(text[:min(len(text), max(0, keepText-d.text.Len()))])
}

func (d *draft) update(u any) {
	d.flush()
	if raw, err := json.Marshal(u); err == nil {
		d.records = append(d.records, record{Kind: "update", Update: raw})
	}
}

func (d *draft) flush() {
	if d.text.Len() == 0 {
		return
	}
	raw, err := json.Marshal(chunk("agent_message_chunk", d.text.String()))
	d.text.Reset()
	if err == nil {
		d.records = append(d.records, record{Kind: "update", Update: raw})
	}
}

func (d *draft) end(stop string) []record {
	d.flush()
	return append(d.records, record{Kind: "end", Text: stop})
}
