package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       transcript.Kind
		data, want string
	}{
		{transcript.KindMessage, `{"author":"ann","text":"fix\nit"}`, "ann: fix it"},
		{transcript.KindUpdate, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}`, "hi"},
		{transcript.KindUpdate, `{"sessionId":"x","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}}`, "thinks: hm"},
		{transcript.KindUpdate, `{"sessionUpdate":"tool_call","title":"go test","kind":"execute","status":"pending","content":[]}`, "tool: go test (pending)"},
		{transcript.KindUpdate, `{"sessionUpdate":"plan","entries":[{"content":"a","status":"completed"},{"content":"b"}]}`, "plan: a (completed); b"},
		{transcript.KindUpdate, `{"sessionUpdate":"user_message_chunk","content":{"type":"image","uri":"file:///x"}}`, "user: (image) file:///x"},
		{transcript.KindUpdate, `{"sessionUpdate":7}`, `update: {"sessionUpdate":7}`},
		{transcript.KindTurnEnded, `{"result":"answered","stopReason":"end_turn"}`, "turn ended: answered, end_turn"},
		{transcript.KindAsked, `{"title":"run rm?"}`, "asks: run rm?"},
		{transcript.KindDecided, `{"choice":"allow","by":"bob"}`, "decided: allow by bob"},
		{transcript.KindState, `{"subject":"environment","from":"open","to":"pausing","reason":"idle"}`, "environment: open -> pausing (idle)"},
		{transcript.KindOutput, `{"source":"stderr","text":"\u001b[31mred\u001b[0m\u202egnp.exe\u0007"}`, "stderr: [31mred[0mgnp.exe"},
		{transcript.KindProgress, `{"what":"pull","done":1,"total":2,"unit":"MB"}`, "pull (1 of 2 MB)"},
		{transcript.KindProgress, `{"what":"pull"}`, "pull"},
		{transcript.KindGap, `{"from":3,"to":9,"why":"disk"}`, "events 3 to 9 are missing (disk)"},
		{transcript.KindOutput, `{"cut":{"size":2000000,"sha256":"ab","head":"\"abc"}}`, `output: 2000000 bytes, of which this is the beginning (event 0): "abc`},
		{transcript.KindUpdate, `{"cut":{"size":2000000,"sha256":"ab","head":"{\"x"}}`, `update: 2000000 bytes, of which this is the beginning (event 0): {"x`},
		{"new", `{"a":1}`, `new: {"a":1}`},
		{transcript.KindTurnBegan, ``, "turn began"},
	} {
		got := transcript.Line(transcript.Event{Kind: c.kind, Data: json.RawMessage(c.data)})
		if got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.kind, c.data, got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("output", []byte(`{"text":"\u001b]0;x\u0007"}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		line := transcript.Line(transcript.Event{Kind: transcript.Kind(kind), Data: data})
		if strings.ContainsAny(line, "\x00\x07\x08\x1b\x7f\n\r\t\u009b\u202e") {
			t.Errorf("harmful: %q", line)
		}
	})
}
