package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/transcript"
)

// A teller prints a transcript as it grows: what the agent says as running
// text, everything else as a line of its own.
type teller struct {
	w     io.Writer
	times bool
	look  tty.Look          // of a terminal: what a person said then keeps its lines
	open  bool              // the last line has no end yet
	tools map[string]string // the names of tool calls, by their ids
	asked map[string]bool   // the calls that the agent asked about, by the same
	day   string            // of the line before, as it was told
}

func (t *teller) tell(e transcript.Event) {
	if text, ok := said(e); ok {
		t.say(e.At, harmless(text))
		return
	}
	text := t.line(e)
	if text == "" {
		return
	}
	t.endLine()
	if e.Kind == transcript.KindMessage && t.look.Width > 0 {
		t.message(e)
		return
	}
	fmt.Fprintln(t.w, t.look.Dim(t.stamp(e.At)+"· "+text))
}

// message tells what a person said, with its lines as they were written.
func (t *teller) message(e transcript.Event) {
	var d struct {
		Author, Text string
		Attachments  []struct{ Name string }
	}
	_ = json.Unmarshal(e.Data, &d) // its line was read already
	text := d.Author + ": " + strings.TrimSpace(d.Text)
	for _, a := range d.Attachments {
		text += "\n[with " + oneLine(a.Name, 80) + "]"
	}
	fmt.Fprint(t.w, t.look.Dim(t.stamp(e.At)))
	for _, line := range t.look.Wrap(harmless(text), "› ", "  ") {
		fmt.Fprintln(t.w, t.look.Strong(line))
	}
}

// line is an event on a line. An update of a tool call has no name of its own:
// it gets that of the call.
func (t *teller) line(e transcript.Event) string {
	if e.Kind == transcript.KindAsked {
		t.ask(e)
	}
	u, ok := updateOf(e)
	if !ok || !strings.HasPrefix(u.SessionUpdate, "tool_call") || u.SessionUpdate == "" {
		return transcript.Line(e)
	}
	if t.tools == nil {
		t.tools = map[string]string{}
	}
	if u.Title != "" {
		t.tools[u.ToolCallID] = u.Title
		return transcript.Line(e)
	}
	name := t.tools[u.ToolCallID]
	if u.Status == "" {
		return "" // it says nothing that has a line
	}
	if name == "" {
		name = "a tool"
	}
	ungated := ""
	if u.Status == "completed" && !t.asked[u.ToolCallID] {
		ungated = ", not gated"
	}
	return transcript.Harmless(fmt.Sprintf("tool: %s (%s)%s", name, u.Status, ungated))
}

// ask remembers a call that was asked about: what is done without asking no rule
// has seen (B4).
func (t *teller) ask(e transcript.Event) {
	var d struct{ Tool string }
	if json.Unmarshal(e.Data, &d) == nil && d.Tool != "" {
		if t.asked == nil {
			t.asked = map[string]bool{}
		}
		t.asked[d.Tool] = true
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
	day := ""
	if now := at.Local().Format("Monday, 2 January 2006 MST"); now != t.day {
		t.day, day = now, "= "+now+"\n"
	}
	return day + at.Local().Format("15:04:05 ")
}

// An update is what a teller reads of the agent's session/update.
type update struct {
	SessionUpdate string
	Content       json.RawMessage
	ToolCallID    string
	Title, Status string
}

// updateOf reads an update, given bare or as the params around it.
func updateOf(e transcript.Event) (update, bool) {
	var d struct {
		update
		Update *update
	}
	if e.Kind != transcript.KindUpdate || json.Unmarshal(e.Data, &d) != nil {
		return update{}, false
	}
	if d.Update != nil {
		return *d.Update, true
	}
	return d.update, true
}

// said is the text of a piece of the agent's answer.
func said(e transcript.Event) (string, bool) {
	u, ok := updateOf(e)
	var block struct{ Type, Text string }
	if !ok || u.SessionUpdate != "agent_message_chunk" || json.Unmarshal(u.Content, &block) != nil {
		return "", false
	}
	return block.Text, block.Type == "text"
}
