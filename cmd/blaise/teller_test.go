package main

import (
	"strings"
	"testing"

	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/transcript"
)

func TestTellerNamesTools(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	x := teller{w: &out}
	for _, data := range []string{
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"edit a.txt","status":"pending"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`,
		`{"update":{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"failed"}}`,
	} {
		x.tell(transcript.Event{Kind: transcript.KindUpdate, Data: []byte(data)})
	}
	want := "· tool: edit a.txt (pending)\n· tool: edit a.txt (completed), not gated\n· tool: a tool (failed)\n"
	if got := out.String(); got != want {
		t.Errorf("told\n%s, want\n%s", got, want)
	}
}

// On a terminal what a person said keeps its lines, and moves nothing; elsewhere
// it is one line.
func TestTellerKeepsTheLinesOfAMessage(t *testing.T) {
	t.Parallel()
	e := transcript.Event{Kind: transcript.KindMessage,
		Data: []byte(`{"author":"ann","text":"one\n  two\u001b[2J","attachments":[{"name":"a.png"}]}`)}
	for _, x := range []struct {
		look tty.Look
		want string
	}{
		{tty.Look{}, "· ann: one two[2J [with a.png]\n"},
		{tty.Look{Width: 40}, "› ann: one\n    two\ufffd[2J\n  [with a.png]\n"},
		{tty.Look{Width: 40, Colour: true}, "\x1b[1m› ann: one\x1b[0m\n\x1b[1m    two\ufffd[2J\x1b[0m\n\x1b[1m  [with a.png]\x1b[0m\n"},
	} {
		var out strings.Builder
		tells := teller{w: &out, look: x.look}
		tells.tell(e)
		if got := out.String(); got != x.want {
			t.Errorf("told %q, want %q", got, x.want)
		}
	}
}
