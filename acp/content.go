package acp

import (
	"encoding/json"
	"fmt"
)

// Types of content blocks; spec "Content". Text and links are always allowed in
// a prompt, the others where the agent says so.
const (
	BlockText     = "text"
	BlockImage    = "image"
	BlockAudio    = "audio"
	BlockResource = "resource"
	BlockLink     = "resource_link"
)

// ContentBlock is a piece of a message. Make one with Text, Image, Link or
// Embedded; one from the agent keeps its Raw, and is sent as that.
type ContentBlock struct {
	Type string
	Text string // of text, and of an embedded resource
	// Data is base64, of image and audio.
	Data, MimeType, URI, Name string
	Raw                       json.RawMessage
}

// Text is a block of text.
func Text(s string) ContentBlock { return ContentBlock{Type: BlockText, Text: s} }

// Image is a picture; data is base64.
func Image(mimeType, data string) ContentBlock {
	return ContentBlock{Type: BlockImage, MimeType: mimeType, Data: data}
}

// Audio is a recording; data is base64.
func Audio(mimeType, data string) ContentBlock {
	return ContentBlock{Type: BlockAudio, MimeType: mimeType, Data: data}
}

// Link points to a resource that the agent can read itself.
func Link(name, uri string) ContentBlock {
	return ContentBlock{Type: BlockLink, Name: name, URI: uri}
}

// Embedded carries the text of a resource.
func Embedded(uri, mimeType, text string) ContentBlock {
	return ContentBlock{Type: BlockResource, URI: uri, MimeType: mimeType, Text: text}
}

// MarshalJSON writes the block as the protocol has it.
func (b ContentBlock) MarshalJSON() ([]byte, error) {
	if b.Raw != nil {
		return b.Raw, nil
	}
	m := map[string]any{"type": b.Type}
	switch b.Type {
	case BlockText:
		m["text"] = b.Text
	case BlockImage, BlockAudio:
		m["data"], m["mimeType"] = b.Data, b.MimeType
	case BlockLink:
		m["name"], m["uri"] = b.Name, b.URI
	case BlockResource:
		r := map[string]any{"uri": b.URI, "text": b.Text}
		if b.MimeType != "" {
			r["mimeType"] = b.MimeType
		}
		m["resource"] = r
	default:
		return nil, fmt.Errorf("content block of unknown type %q", b.Type)
	}
	return json.Marshal(m)
}

func newContentBlock(raw json.RawMessage) ContentBlock {
	b := ContentBlock{Raw: raw}
	for key, value := range members(raw) {
		b.set(key, value)
	}
	return b
}

func (b *ContentBlock) set(key string, value json.RawMessage) {
	switch key {
	case "type":
		b.Type = word(value)
	case "text":
		b.Text = str(value)
	case "data":
		b.Data = str(value)
	case "mimeType":
		b.MimeType = str(value)
	case "uri":
		b.URI = str(value)
	case "name":
		b.Name = str(value)
	case "resource":
		b.URI = str(field(value, "uri"))
		b.Text = str(field(value, "text"))
		b.MimeType = str(field(value, "mimeType"))
	}
}

// Fit replaces the blocks that the agent does not take by ones it must take: an
// embedded resource becomes its text, a picture or a recording a note that it
// was left out.
func (a Agent) Fit(blocks []ContentBlock) []ContentBlock {
	fit := make([]ContentBlock, 0, len(blocks))
	for _, b := range blocks {
		switch {
		case b.Type == BlockResource && !a.EmbeddedContext:
			b = Text(b.URI + ":\n" + b.Text)
		case b.Type == BlockImage && !a.Image, b.Type == BlockAudio && !a.Audio:
			b = Text(fmt.Sprintf("[%s %s left out: the agent takes none]", b.Type, b.MimeType))
		}
		fit = append(fit, b)
	}
	return fit
}
