package tty_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/transcript"
)

// tell is a whole story.
func tell(look tty.Look, all ...transcript.Event) []string {
	s := tty.Story{Look: look}
	var lines []string
	for _, e := range all {
		lines = append(lines, s.Tell(e)...)
		for _, line := range s.Pending(10, time.Time{}) {
			lines = append(lines, strings.Split(line, "\n")...)
		}
	}
	return append(lines, s.End()...)
}

func event(kind transcript.Kind, data string) transcript.Event {
	return transcript.Event{Kind: kind, Data: json.RawMessage(data)}
}

func chunk(text string) transcript.Event {
	return transcript.New(transcript.KindUpdate, map[string]any{
		"sessionUpdate": "agent_message_chunk", "content": map[string]string{"type": "text", "text": text},
	})
}

// A turn is told in the order of its events; a call is folded to the line of its
// end, output to a few lines, a decision to one.
func TestStory(t *testing.T) {
	t.Parallel()
	s := tty.Story{Look: tty.Look{Width: 80}}
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var got []string
	for _, e := range []transcript.Event{
		event("message", `{"text":"mend it\nplease"}`),
		event("turn_began", `{}`),
		event("update", `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm, "}}`),
		event("update", `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a bug"}}`),
		chunk("I look.\n\nThen I "), chunk("**mend** it."),
		event("update", `{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit a.go","status":"pending"}`),
		event("asked", `{"question":"r.1/1","title":"Edit a.go","tool":"1"}`),
		event("decided", `{"question":"r.1/1","choice":"allow","by":"ann"}`),
		event("update", `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`),
		event("update", `{"sessionUpdate":"tool_call","toolCallId":"2","title":"Run tests","status":"failed"}`),
		event("output", `{"source":"setup","text":"1\n2\n3\n4\n5\n6\n"}`),
		event("progress", `{"what":"clone","done":1,"total":4,"unit":"MB"}`),
		event("progress", `{"what":"clone","done":4,"total":4,"unit":"MB"}`),
		event("notice", `{"text":"the machine slept"}`),
		event("turn_ended", `{"result":"answered","stopReason":"end_turn","used":{"total_tokens":120000,"cost":0.5,"currency":"USD"}}`),
		event("message", `{"text":"go on"}`),
		event("turn_began", `{}`),
		event("turn_ended", `{"result":"interrupted","stopReason":"agent_died","reason":"signal: killed"}`),
	} {
		at = at.Add(500 * time.Millisecond)
		e.At = at
		got = append(got, s.Tell(e)...)
	}
	want := strings.Split(strings.TrimSpace(`
› mend it
  please
thought: hm, a bug

I look.

Then I **mend** it.

? Edit a.go → allow by ann
✓ Edit a.go, 2s
✗ Run tests, failed
· setup: 1
· setup: 2
· setup: 3
· … 2 more lines of output
· setup: 6
· clone, 4 MB of 4 MB
! the machine slept
─ 7s · 120k tokens · 0.5 USD

› go on
■ interrupted: signal: killed · 500ms · agent died`), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Long work has a bar while it is under way, where it is known how much there is,
// and one line when it is done, however many steps it was told in.
func TestStoryOfLongWork(t *testing.T) {
	t.Parallel()
	s := tty.Story{Look: tty.Look{Width: 80}}
	var got []string
	for _, e := range []transcript.Event{
		event("progress", `{"what":"Receiving objects","done":10,"total":40,"unit":""}`),
		event("progress", `{"what":"Receiving objects","done":20,"total":40,"unit":""}`),
		event("progress", `{"what":"pull: a1 Downloading","done":1572864,"total":3145728,"unit":"bytes"}`),
		event("progress", `{"what":"pull: b2 Extracting","done":3145728,"total":4194304,"unit":"bytes"}`),
		event("progress", `{"what":"npm ci","done":0,"total":2,"unit":"commands"}`),
		event("agent", `{"name":"demo"}`),
	} {
		for _, line := range s.Tell(e) {
			got = append(got, "told "+line)
		}
		got = append(got, s.Pending(5, time.Time{})...)
	}
	want := []string{
		"▸ Receiving objects ━━━━━───────────────, 10 of 40",
		"▸ Receiving objects ━━━━━━━━━━──────────, 20 of 40",
		"told · Receiving objects, 20 of 40",
		"▸ pull: a1 Downloading ━━━━━━━━━━──────────, 1.5 MB of 3 MB",
		"▸ pull: b2 Extracting ━━━━━━━━━━━━━━━─────, 3 MB of 4 MB",
		"told · pull: b2 Extracting, 3 MB of 4 MB",
		"▸ npm ci ────────────────────, 0 commands of 2 commands",
		"told · npm ci, 0 commands of 2 commands",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What an agent says is painted in whole blocks, however it comes in pieces, and
// is all there.
func TestStoryInPieces(t *testing.T) {
	t.Parallel()
	text := "# Plan\n\n- one\n- two\n\n  still two\n\n```go\nx := 1\n\ny := 2\n```\n\nlast *words*\n"
	want := tell(tty.Look{}, chunk(text))
	for n := 1; n < 9; n++ {
		s := tty.Story{}
		var got []string
		for piece := range slices.Chunk([]byte(text), n) {
			got = append(got, s.Tell(chunk(string(piece)))...)
		}
		got = append(got, s.End()...)
		all := tty.Story{}
		if want = append(all.Tell(chunk(text)), all.End()...); !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: got %q, want %q", n, got, want)
		}
	}
	if !strings.Contains(strings.Join(want, "\n"), "  x := 1\n\n  y := 2\n") {
		t.Errorf("the code was taken apart: %q", want)
	}
}

// A line of many megabytes, or a block that never ends, is shown in part and says
// so; the story stays quick.
func TestStoryOfHugeLines(t *testing.T) {
	t.Parallel()
	s := tty.Story{Look: tty.Look{Width: 80}}
	var lines []string
	piece := strings.Repeat("x", 1<<20)
	for range 10 {
		lines = append(lines, s.Tell(chunk(piece))...)
		s.Pending(10, time.Time{})
	}
	lines = append(lines, s.Tell(chunk("\nafter\n"))...)
	lines = append(lines, s.End()...)
	text := strings.Join(lines, "")
	if len(text) > 200<<10 || !strings.Contains(text, fmt.Sprintf("%d more bytes in this line", 10<<20-64<<10)) ||
		!strings.Contains(text, "after") {
		t.Errorf("%d bytes are shown: ...%q", len(text), text[max(len(text)-200, 0):])
	}
}
