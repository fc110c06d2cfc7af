package dashboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// furnish fills a desk with what its pages show: sessions in several states, a
// question, a runner with a trouble.
func (d *desk) furnish() {
	d.t.Helper()
	ctx := d.t.Context()
	d.begin("Bump the dependencies")
	d.begin("Why does the nightly build take two hours?")
	r, _, err := d.control.NewRunner(ctx, "ann", "builders", map[string]string{"zone": "eu"}, false)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, in := range []store.Instance{
		{ID: "a", Host: "anvil.example", Slots: 4, Agents: []string{"coder"}, Labels: map[string]string{"gpu": "yes"}},
		{ID: "b", Host: "bellows.example", Slots: 2, PausedWhy: "less than 1 GB is free in its state directory"},
	} {
		in.Runner, in.Boot, in.Machine, in.OS, in.Arch, in.Version = r.ID, "b", "m", "linux", "amd64", "v0.4.0"
		if err := d.control.Hello(ctx, in); err != nil {
			d.t.Fatal(err)
		}
	}
	d.begin("Please tidy up main.go")
	m := d.id.Message(1)
	if _, err := d.control.Claim(ctx, d.run, m); err != nil {
		d.t.Fatal(err)
	}
	d.record(
		transcript.New(transcript.KindMessage, map[string]any{"message": m, "author": "ann", "text": "Please tidy up main.go"}),
		update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Where is it?"}}`),
		update(`{"sessionUpdate":"plan","entries":[{"content":"Read main.go","status":"completed"},{"content":"Edit it","status":"in_progress"},{"content":"Run the tests","status":"pending"}]}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read main.go","kind":"read","status":"completed"}`),
		chunk("I found **two** things:\n\n1. an unused `import`\n2. a long function\n\n```go\n// main begins it.\nfunc main() { run(\"it\", 1) }\n```\n"),
		update(`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit main.go","kind":"edit","status":"in_progress",
			"content":[{"type":"diff","path":"main.go","oldText":"package main\n\nimport \"os\"\n\nfunc main() {}\n","newText":"package main\n\nfunc main() {}\n"}]}`),
	)
	d.report(2, blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{
		Key: "k", Kind: "permission", Title: "Edit main.go", Detail: []byte(`{"path":"main.go"}`),
		Options: []blaise.Option{{ID: "y", Name: "Allow", Kind: "allow_once"}, {ID: "n", Name: "Reject", Kind: "reject_once"}},
	}})
}

// TestNarrow holds that a telephone shows the end of the conversation, with its
// question, and not what stands below it.
func TestNarrow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.furnish()
	d.steps(ctx, chromedp.EmulateViewport(390, 844), chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.until(ctx, `(() => { const r = document.querySelector(".card.ask").getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight; })()`)
}

// TestNoPageIsTooWide holds that no page is wider than a small telephone.
func TestNoPageIsTooWide(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.furnish()
	d.steps(ctx, chromedp.EmulateViewport(360, 740))
	for _, look := range d.looks() {
		d.steps(ctx, chromedp.Navigate(d.server.URL+look[1]))
		wide, err := chromedp.Run(ctx, chromedp.Evaluate[int](`document.documentElement.scrollWidth`))
		if err != nil || wide > 360 {
			t.Errorf("%s is %d wide, %v", look[0], wide, err)
		}
		d.until(ctx, `document.querySelector(".top").offsetHeight < 100`) // two lines
	}
}

// looks are the pages as they are looked at: name and address.
func (d *desk) looks() [][2]string {
	s := "/sessions/" + string(d.id)
	return [][2]string{
		{"sessions", "/"},
		{"session", s},
		{"history", s + "/history"},
		{"new", "/new"},
		{"agents", "/agents"},
		{"agent", "/agents/demo"},
		{"runners", "/runners"},
		{"changes", s + "/changes"},
		{"failed", "/?state=failed"},
		{"webhooks", "/webhooks"},
		{"audit", "/audit"},
		{"people", "/people"},
		{"account", "/account"},
	}
}

func (d *desk) scheme(ctx context.Context, name string) {
	d.t.Helper()
	d.steps(ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return chromedp.Void{}, err
	})
}

// TestAccessible holds that axe-core finds nothing serious on any page, in
// light and in dark, and as narrow as a phone.
func TestAccessible(t *testing.T) {
	t.Parallel()
	path := os.Getenv("BLAISE_TEST_AXE")
	if path == "" {
		t.Skip("BLAISE_TEST_AXE does not name axe-core: the pages are not tried for accessibility")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	ctx := d.browser()
	d.furnish()
	for _, scheme := range []string{"light", "dark", "narrow"} {
		if scheme == "narrow" {
			d.steps(ctx, chromedp.EmulateViewport(390, 844))
		}
		d.scheme(ctx, map[bool]string{true: "dark", false: "light"}[scheme == "dark"])
		for _, look := range append(d.looks(), [2]string{"sign a terminal in", "/login/terminal?check=ABCD-2345&port=4242"}) {
			d.steps(ctx, chromedp.Navigate(d.server.URL+look[1]))
			d.steps(ctx, chromedp.Evaluate[chromedp.Void](string(axe)+"; axe.run().then((r) => { window.found = r; }); undefined"))
			d.until(ctx, "!!window.found")
			text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`JSON.stringify(window.found.violations
				.filter((v) => v.impact === "serious" || v.impact === "critical")
				.map((v) => [v.id, ...v.nodes.map((n) => n.html.slice(0, 200) + " " + n.failureSummary)]))`))
			if err != nil {
				t.Fatal(err)
			}
			var found [][]string
			if err := json.Unmarshal([]byte(text), &found); err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Errorf("%s, %s: %s", look[0], scheme, fmt.Sprint(f))
			}
		}
	}
}

// TestScreenshots keeps pictures of the pages where BLAISE_SCREENSHOTS says.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if os.Getenv("BLAISE_SCREENSHOTS") == "" {
		t.Skip("BLAISE_SCREENSHOTS does not name a directory: no pictures are kept")
	}
	d := newDesk(t)
	ctx := d.browser()
	d.furnish()
	for _, look := range d.looks() {
		d.steps(ctx, chromedp.Navigate(d.server.URL+look[1]))
		d.until(ctx, `document.readyState === "complete"`)
		d.snap(ctx, look[0])
	}
	d.scheme(ctx, "dark")
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.snap(ctx, "session-dark")
	d.scheme(ctx, "light")
	d.steps(ctx, chromedp.EmulateViewport(390, 844), chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.snap(ctx, "session-narrow")
}
