package dashboard

import (
	"encoding/json"
	"html/template"
	"regexp"
	"strings"
)

// An update is a session/update of ACP, as far as it is shown. Agents are
// loose with it: whatever cannot be read is left out.
type update struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	ToolKind  string          `json:"kind"`
	Status    string          `json:"status"`
	Locations []struct {
		Path string `json:"path"`
		Line int    `json:"line"`
	} `json:"locations"`
	RawInput json.RawMessage `json:"rawInput"`
	Entries  []planEntry     `json:"entries"`
}

type planEntry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// Mark shows how far the entry is.
func (p planEntry) Mark() string {
	switch p.Status {
	case "completed":
		return "✓"
	case "in_progress":
		return "▸"
	}
	return "○"
}

// A block is a piece of content.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"resource"`
}

// text is what a block says, in words where it is no text.
func (b block) text() string {
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return "[" + firstOf(b.Name, b.URI) + "]"
	case "resource":
		return firstOf(b.Resource.Text, "["+b.Resource.URI+"]")
	case "", "image":
		return ""
	}
	return "[" + b.Type + "]"
}

var pictures = regexp.MustCompile(`^image/(png|jpeg|gif|webp)$`)
var base64Text = regexp.MustCompile(`^[A-Za-z0-9+/=\s]+$`)

// picture is the block as the address of an image, "" if it is none that a
// browser shows harmlessly.
func (b block) picture() template.URL {
	if b.Type != "image" || !pictures.MatchString(b.MimeType) || !base64Text.MatchString(b.Data) {
		return ""
	}
	return template.URL("data:" + b.MimeType + ";base64," + b.Data) //nolint:gosec // type and data are checked
}

// blocks reads content that is one block or a list of them.
func blocks(raw json.RawMessage) []block {
	var one block
	if json.Unmarshal(raw, &one) == nil {
		return []block{one}
	}
	var many []block
	_ = json.Unmarshal(raw, &many) // loose: what cannot be read is not shown
	return many
}

// A content is one thing that a tool call shows.
type content struct {
	Type       string `json:"type"`
	Block      block  `json:"content"`
	Path       string `json:"path"`
	OldText    string `json:"oldText"`
	NewText    string `json:"newText"`
	TerminalID string `json:"terminalId"`
}

func contents(raw json.RawMessage) []content {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var list []content
	for _, p := range parts {
		var c content
		if json.Unmarshal(p, &c) == nil {
			list = append(list, c)
		}
	}
	return list
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
