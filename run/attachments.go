package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
)

// A delivery is a message as the agent gets it.
type delivery struct {
	blocks []acp.ContentBlock
	parts  []part   // what became of the attachments
	bad    error    // why it cannot be sent
	notes  []string // what a reader should know of it
}

// A part says in the record how an attachment was given to the agent.
type part struct {
	blaise.Attachment
	Sent string `json:"sent"` // image, audio, resource, link, text; "left out"
}

// pack makes a message of its text and what came with it, as far as the agent
// takes that. What it does not take is told: it is never dropped in silence. An
// error is one of ctx or the fence; a file that is not to be had is delivery.bad.
func (c *conversation) pack(ctx context.Context, text string, all []blaise.Attachment) (delivery, error) {
	d := delivery{blocks: []acp.ContentBlock{acp.Text(text)}}
	for _, a := range all {
		b, err := c.unpack(ctx, a)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, ErrFenced) {
				return d, err
			}
			d.bad = unsendable(fmt.Sprintf("attachment %q cannot be read: %v", a.Name, err))
			return d, nil
		}
		fit := c.agent.info.Fit([]acp.ContentBlock{b})[0]
		p := part{Attachment: a, Sent: sentAs(b, fit)}
		if p.Sent == leftOut {
			d.notes = append(d.notes,
				fmt.Sprintf("The agent was not given %s: it says that it takes no %s.", a, kindOf(b)))
		}
		d.blocks, d.parts = append(d.blocks, fit), append(d.parts, p)
	}
	return d, nil
}

// said adds to an event what came with the message.
func (d delivery) said(event map[string]any) map[string]any {
	if len(d.parts) > 0 {
		event["attachments"] = d.parts
	}
	return event
}

const leftOut = "left out"

func sentAs(b, fit acp.ContentBlock) string {
	switch {
	case fit.Type == acp.BlockLink:
		return "link"
	case fit.Type == b.Type:
		return b.Type
	case b.Type == acp.BlockResource && b.Data == "":
		return acp.BlockText
	}
	return leftOut
}

func kindOf(b acp.ContentBlock) string {
	switch b.Type {
	case acp.BlockImage:
		return "pictures"
	case acp.BlockAudio:
		return "recordings"
	}
	return "files"
}

// unpack makes a block of an attachment.
func (c *conversation) unpack(ctx context.Context, a blaise.Attachment) (acp.ContentBlock, error) {
	if a.URL != "" {
		b := acp.Link(a.Name, a.URL)
		b.MimeType = a.Type
		return b, nil
	}
	data, err := c.fetch(ctx, a)
	if err != nil {
		return acp.ContentBlock{}, err
	}
	uri := (&url.URL{Scheme: "attachment", Path: "/" + a.Name}).String()
	var b acp.ContentBlock
	switch {
	case strings.HasPrefix(a.Type, "image/"):
		b = acp.Image(a.Type, base64.StdEncoding.EncodeToString(data))
		b.URI = uri
	case strings.HasPrefix(a.Type, "audio/"):
		b = acp.Audio(a.Type, base64.StdEncoding.EncodeToString(data))
	case utf8.Valid(data) && bytes.IndexByte(data, 0) < 0:
		b = acp.Embedded(uri, a.Type, string(data))
	default:
		b = acp.EmbeddedBytes(uri, a.Type, base64.StdEncoding.EncodeToString(data))
	}
	b.Name = a.Name
	return b, nil
}

// fetch reads the bytes from Blaise, again and again while that is away.
func (c *conversation) fetch(ctx context.Context, a blaise.Attachment) ([]byte, error) {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		var b bytes.Buffer
		err := c.r.client.RunFile(ctx, a.SHA256, &b)
		switch code := blaise.CodeOf(err); {
		case err == nil:
			sum := sha256.Sum256(b.Bytes())
			if hex.EncodeToString(sum[:]) == a.SHA256 {
				return b.Bytes(), nil
			}
			err = errors.New("it came with other bytes than it was sent with")
		case code == blaise.CodeStale:
			c.r.fenceOff()
			return nil, ErrFenced
		case code != blaise.CodeUnreachable && code != blaise.CodeInternal:
			return nil, err
		}
		c.r.log.Warn("attachment not read, trying again", "file", a.SHA256, "error", err)
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}
