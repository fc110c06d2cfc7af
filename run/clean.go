package run

import (
	"encoding/json"
	"strings"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/transcript"
)

// clean takes the secrets out of an event. Text that comes in pieces goes
// through a stream: what may be the beginning of a secret moves to the next
// piece, or out at the end of the turn. The event itself is never withheld.
func (r *record) clean(e transcript.Event) json.RawMessage {
	data := e.Data
	switch e.Kind {
	case transcript.KindUpdate:
		data = r.cleanChunk(data)
	case transcript.KindOutput:
		data = r.cleanOutput(data)
	}
	return r.secrets.JSON(data)
}

// A chunk is what is read of an update to find its text.
type chunk struct {
	Kind    string `json:"sessionUpdate"`
	Message string `json:"messageId"`
	Content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

func (r *record) cleanChunk(data json.RawMessage) json.RawMessage {
	var c chunk
	if json.Unmarshal(data, &c) != nil || c.Content.Type != acp.BlockText ||
		!(acp.Update{Kind: c.Kind}).IsChunk() {
		return data
	}
	text := r.streams.Next(c.Kind+" "+c.Message, c.Content.Text)
	if text == c.Content.Text {
		return data
	}
	return with(data, "content", func(content json.RawMessage) json.RawMessage {
		return with(content, "text", func(json.RawMessage) json.RawMessage { return quoted(text) })
	})
}

func (r *record) cleanOutput(data json.RawMessage) json.RawMessage {
	var o struct{ Source, Text string }
	if json.Unmarshal(data, &o) != nil {
		return data
	}
	text := r.streams.Next(outputKey+o.Source, o.Text)
	if text == o.Text {
		return data
	}
	return with(data, "text", func(json.RawMessage) json.RawMessage { return quoted(text) })
}

// with is the object data with one member changed.
func with(data json.RawMessage, key string, change func(json.RawMessage) json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data
	}
	members[key] = change(members[key])
	b, err := json.Marshal(members)
	if err != nil {
		return data
	}
	return b
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string always can
	return b
}

const outputKey = "output "

// flushLocked lets out what the streams withheld, as a piece more of each.
func (r *record) flushLocked() error {
	for key, text := range r.streams.FlushAll() {
		e := transcript.New(transcript.KindOutput, map[string]string{
			"source": strings.TrimPrefix(key, outputKey), "text": text,
		})
		if !strings.HasPrefix(key, outputKey) {
			e = lastPiece(key, text)
		}
		r.collect(e)
		if err := r.end.Append(e); err != nil {
			return err
		}
	}
	return nil
}

func lastPiece(key, text string) transcript.Event {
	kind, message, _ := strings.Cut(key, " ")
	piece := map[string]any{
		"sessionUpdate": kind, "content": map[string]string{"type": acp.BlockText, "text": text},
	}
	if message != "" {
		piece["messageId"] = message
	}
	return transcript.New(transcript.KindUpdate, piece)
}
