package acp

import (
	"cmp"
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
	// Data is base64, of image, audio, and an embedded resource that is no text.
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

// EmbeddedBytes carries the bytes of a resource that is no text; data is base64.
func EmbeddedBytes(uri, mimeType, data string) ContentBlock {
	return ContentBlock{Type: BlockResource, URI: uri, MimeType: mimeType, Data: data}
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
		if b.URI != "" {
			m["uri"] = b.URI
		}
	case BlockLink:
		m["name"], m["uri"] = b.Name, b.URI
		if b.MimeType != "" {
			m["mimeType"] = b.MimeType
		}
	case BlockResource:
		r := map[string]any{"uri": b.URI}
		if r["text"] = b.Text; b.Data != "" {
			delete(r, "text")
			r["blob"] = b.Data
		}
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
		b.Data = str(field(value, "blob"))
		b.MimeType = str(field(value, "mimeType"))
	}
}

// Fit replaces the blocks that the agent does not take by ones it must take: an
// embedded resource becomes its text; of a picture, a recording or bytes a note
// says that they were left out.
func (a Agent) Fit(blocks []ContentBlock) []ContentBlock {
	fit := make([]ContentBlock, 0, len(blocks))
	for _, b := range blocks {
		if !a.Takes(b) && b.Type == BlockResource && b.Data == "" {
			b = Text(b.URI + ":\n" + b.Text)
		} else if !a.Takes(b) {
			b = Text(fmt.Sprintf("[%s %s left out: the agent takes none]", cmp.Or(b.MimeType, b.Type), cmp.Or(b.Name, b.URI)))
		}
		fit = append(fit, b)
	}
	return fit
}

// Takes says whether the agent has advertised that it takes such a block.
func (a Agent) Takes(b ContentBlock) bool {
	switch b.Type {
	case BlockImage:
		return a.Image
	case BlockAudio:
		return a.Audio
	case BlockResource:
		return a.EmbeddedContext
	}
	return true
}
