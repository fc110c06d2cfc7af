package dashboard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"

	"github.com/chromedp/chromedp"
)

// hostile is a name that would be a script, turns the direction of what
// follows, and clears a terminal.
const hostile = "<img src=x onerror=document.title='bad'>\u202Egpj.exe\x1b[2J\x1b]0;owned\x07"

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestDeceivesNobody holds that what an agent writes is shown as what it is: no
// script, no colour of a terminal, no character that turns others round.
func TestDeceivesNobody(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin(hostile)
	long := strings.Repeat("x", 10<<20)
	d.record(
		transcript.New(transcript.KindMessage, map[string]any{"author": hostile, "text": hostile}),
		update(`{"sessionUpdate":"tool_call","toolCallId":"a","title":`+quoted(hostile)+`,"kind":`+quoted(hostile)+`,"status":"completed",
			"locations":[{"path":`+quoted(hostile)+`}],"rawInput":{"path":`+quoted(hostile)+`},
			"content":[{"type":"diff","path":`+quoted(hostile)+`,"oldText":"a","newText":`+quoted(hostile)+`},
			{"type":"content","content":{"type":"text","text":`+quoted(hostile)+`}}]}`),
		chunk(hostile+"\n\n[x](javascript:alert(1))\n\n```"+hostile+"\n"+hostile+"\n```\n"),
		update(`{"sessionUpdate":"plan","entries":[{"content":`+quoted(hostile)+`,"status":`+quoted(hostile)+`}]}`),
		transcript.New(transcript.KindOutput, map[string]any{"source": hostile, "text": hostile}),
		transcript.New(transcript.KindOutput, map[string]any{"source": "long", "text": long[:1<<20]}),
	)
	text := d.page("/sessions/" + string(d.id))
	for _, bad := range []string{"<img src=x", "\u202E", "\x1b", "javascript:"} {
		if strings.Contains(text, bad) {
			at := strings.Index(text, bad)
			t.Errorf("the page holds %q: %q", bad, text[max(0, at-120):min(len(text), at+120)])
		}
	}
	if !strings.Contains(text, "[U+202E]gpj.exe") {
		t.Error("the turned name is not shown as it is")
	}
	if len(text) > 1<<20 {
		t.Errorf("the page has %d bytes", len(text))
	}
	if list := d.page("/"); strings.Contains(list, "<img src=x") || strings.Contains(list, "\u202E") {
		t.Error("the list is not harmless")
	}

	ctx := d.browser()
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.until(ctx, `document.body.innerText.includes("gpj.exe")`)
	d.until(ctx, `!document.title.startsWith("bad") && !document.querySelector("#items img")`)
}

// TestCodeIsColoured holds that a block whose language is known is coloured by
// classes, and that any other is shown as it is.
func TestCodeIsColoured(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	d.record(chunk("```go\nfunc main() {}\n```\n\n```nonsense\n<b>\n```\n"))
	text := d.page("/sessions/" + string(d.id))
	for _, want := range []string{`<span class="kd">func</span>`, "&lt;b&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
