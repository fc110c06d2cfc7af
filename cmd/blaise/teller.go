package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"blaise.dev/blaise/transcript"
)

// A teller prints a transcript as it grows: what the agent says as running
// text, everything else as a line of its own.
type teller struct {
	w     io.Writer
	times bool
	open  bool // the last line has no end yet
}

func (t *teller) tell(e transcript.Event) {
	if text, ok := said(e); ok {
		t.say(e.At, harmless(text))
		return
	}
	if text := transcript.Line(e); text != "" {
		t.endLine()
		fmt.Fprintf(t.w, "%s· %s\n", t.stamp(e.At), text)
	}
}

func (t *teller) say(at time.Time, text string) {
	if text == "" {
		return
	}
	if !t.open {
		fmt.Fprint(t.w, t.stamp(at))
	}
	fmt.Fprint(t.w, text)
	t.open = !strings.HasSuffix(text, "\n")
}

func (t *teller) endLine() {
	if t.open {
		fmt.Fprintln(t.w)
		t.open = false
	}
}

func (t *teller) stamp(at time.Time) string {
	if !t.times {
		return ""
	}
	return at.Local().Format("15:04:05 ")
}

// said is the text of a piece of the agent's answer.
func said(e transcript.Event) (string, bool) {
	if e.Kind != transcript.KindUpdate {
		return "", false
	}
	type update struct {
		SessionUpdate string
		Content       json.RawMessage
	}
	var d struct {
		update
		Update *update
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return "", false
	}
	u := d.update
	if d.Update != nil {
		u = *d.Update
	}
	var block struct{ Type, Text string }
	if u.SessionUpdate != "agent_message_chunk" || json.Unmarshal(u.Content, &block) != nil {
		return "", false
	}
	return block.Text, block.Type == "text"
}
