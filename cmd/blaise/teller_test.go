package main

import (
	"strings"
	"testing"

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
