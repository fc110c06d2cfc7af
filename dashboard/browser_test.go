package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/browser"
	"blaise.dev/blaise/server"
	"blaise.dev/blaise/transcript"

	"github.com/chromedp/chromedp"
)

// browser starts a real one and signs it in by a link. Without chromium the
// test is skipped.
func (d *desk) browser() context.Context {
	d.t.Helper()
	tab, closes, err := browser.Start(d.t.Context())
	if errors.Is(err, browser.ErrNone) {
		d.t.Skipf("the pages are not tried in a browser: %v", err)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(closes)
	code, err := d.control.NewLoginCode(d.t.Context(), admin(d.t, d.control))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := browser.SignIn(tab, server.LoginURL(d.server.URL, code)); err != nil {
		d.t.Fatal(err)
	}
	return tab
}

// steps does one after the other.
func (d *desk) steps(ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	d.t.Helper()
	if err := browser.Do(ctx, steps...); err != nil {
		d.t.Fatal(err)
	}
}

// until waits for a condition of the page.
func (d *desk) until(ctx context.Context, js string) {
	d.t.Helper()
	if err := browser.Until(ctx, js); err != nil {
		d.t.Fatal(err)
	}
}

// picture keeps a screenshot where BLAISE_SCREENSHOTS says.
func (d *desk) picture(ctx context.Context, name string) {
	d.t.Helper()
	dir := os.Getenv("BLAISE_SCREENSHOTS")
	if dir == "" {
		return
	}
	b, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	d.keep(name, b, err)
}

// snap keeps what the window shows.
func (d *desk) snap(ctx context.Context, name string) {
	d.t.Helper()
	b, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	d.keep(name, b, err)
}

func (d *desk) keep(name string, b []byte, err error) {
	d.t.Helper()
	dir := os.Getenv("BLAISE_SCREENSHOTS")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func TestBrowser(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.until(ctx, `document.body.innerText.includes("There is no session yet")`)
	d.begin("Please tidy up main.go")
	d.until(ctx, `document.body.innerText.includes("Please tidy up main.go")`) // the list is live
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))

	m := d.id.Message(1)
	if _, err := d.control.Claim(t.Context(), d.run, m); err != nil {
		t.Fatal(err)
	}
	d.record(
		transcript.New(transcript.KindMessage, map[string]any{"message": m, "author": "ann", "text": "Please tidy up main.go"}),
		transcript.New(transcript.KindTurnBegan, map[string]any{"message": m}),
		update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Where is it?"}}`),
		update(`{"sessionUpdate":"plan","entries":[{"content":"Read main.go","status":"completed"},{"content":"Edit it","status":"in_progress"},{"content":"Run the tests","status":"pending"}]}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read main.go","kind":"read","status":"completed"}`),
		chunk("I found **two** things:\n\n1. an unused `import`\n"),
	)
	d.until(ctx, `document.querySelector(".agent strong")?.textContent === "two"`)
	d.until(ctx, `document.querySelector("#activity").innerText.includes("writing")`)
	d.record(chunk("2. a long function\n\n```go\nfunc main() {}\n```\n<script>document.title='bad'</script>\n"))
	d.until(ctx, `document.querySelectorAll(".agent").length === 1 && document.querySelectorAll(".agent li").length === 2`)
	d.record(update(`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit main.go","kind":"edit","status":"in_progress",
		"content":[{"type":"diff","path":"main.go","oldText":"package main\n\nimport \"os\"\n\nfunc main() {}\n","newText":"package main\n\nfunc main() {}\n"}]}`))
	d.until(ctx, `document.querySelector("#activity").innerText.includes("Edit main.go") && // B4: in sight wherever one reads
		(scrollTo(0, 0), document.querySelector("#activity").getBoundingClientRect().bottom <= innerHeight)`)
	d.report(2, blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{
		Key: "k", Kind: "permission", Title: "Edit main.go", Detail: []byte(`{"path":"main.go"}`),
		Options: []blaise.Option{{ID: "y", Name: "Allow", Kind: "allow_once"}, {ID: "n", Name: "Reject", Kind: "reject_once"}},
	}})
	d.until(ctx, `document.title.startsWith("(1) ") && !!document.querySelector(".card.ask")`)
	d.until(ctx, `document.querySelector("#activity").innerText.includes("waits for your answer")`)
	d.picture(ctx, "session")

	t.Run("answer", func(*testing.T) {
		d.steps(ctx, chromedp.Click(chromedp.CSS(".card.ask button.allow_once")))
		d.until(ctx, `!document.querySelector(".card.ask") && !document.title.startsWith("(")`)
		d.report(3, blaise.Event{Kind: blaise.EventQuestionApplied, Question: d.id.Question(1), Key: "k"})
	})
	t.Run("say and withdraw", func(*testing.T) {
		d.steps(ctx, chromedp.SendKeys(chromedp.CSS("#text"), "and then run the tests"), chromedp.Click(chromedp.CSS("#say button")))
		d.until(ctx, `document.querySelector("#queue").innerText.includes("and then run the tests") && document.querySelector("#text").value === ""`)
		d.steps(ctx, chromedp.Click(chromedp.CSS("#queue button")))
		d.until(ctx, `!document.querySelector("#queue").innerText.includes("and then run the tests")`)
	})
	t.Run("an error is shown in place", func(*testing.T) {
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](
			`document.querySelector("#text").removeAttribute("required") === undefined`)); err != nil {
			t.Fatal(err)
		}
		d.steps(ctx, chromedp.Click(chromedp.CSS("#say button")))
		d.until(ctx, `document.querySelector("#errors").innerText.includes("the message is empty")`)
	})
	t.Run("cancel says what it will do", func(*testing.T) {
		d.steps(ctx, chromedp.Click(chromedp.CSS(`[data-keep="deed-cancel"] summary`)))
		d.until(ctx, `document.querySelector('[data-keep="deed-cancel"]').innerText.includes("told to stop")`)
		d.steps(ctx, chromedp.Click(chromedp.CSS(`[data-keep="deed-cancel"] button`)))
		d.until(ctx, `!document.querySelector('[data-keep="deed-cancel"]')?.open`)
	})
	d.steps(ctx, chromedp.EmulateViewport(390, 844))
	d.picture(ctx, "narrow")
	wide, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > innerWidth`))
	if err != nil || wide {
		t.Errorf("the page is wider than a telephone: %v", err)
	}
	d.steps(ctx, chromedp.EmulateViewport(1280, 900))
	for _, page := range []string{"", "new", "agents", "runners", "docs"} {
		d.steps(ctx, chromedp.Navigate(d.server.URL+"/"+page))
		d.picture(ctx, "page-"+page)
	}
}

// TestScroll holds that a long transcript is read backwards without a jump.
func TestScroll(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.begin("hello")
	var list []transcript.Event
	for i := range 900 {
		list = append(list, transcript.New(transcript.KindNotice, map[string]any{"text": fmt.Sprintf("line %d.", i)}))
	}
	d.record(list...)
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.until(ctx, `document.body.textContent.includes("line 899.") && !document.body.textContent.includes("line 100.")`)
	moved, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`(async () => {
		scrollTo(0, 4000);
		const at = all("#items .item").find((i) => i.getBoundingClientRect().top > 100);
		const before = at.getBoundingClientRect().top;
		await readBack($("[data-earlier]"));
		for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
		return Math.abs(at.getBoundingClientRect().top - before);
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || moved > 2 {
		t.Errorf("what is read moves by %.0f px when more is put before it: %v", moved, err)
	}
	d.until(ctx, `(scrollTo(0, 0), document.body.textContent.includes("line 0."))`) // each time a part before is near
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`[...document.querySelectorAll("#items .notice")].map(e => e.textContent.match(/line (\d+)/)[1]).join(" ")`))
	if err != nil {
		t.Fatal(err)
	}
	seen := strings.Fields(text)
	for i := 1; i < len(seen); i++ {
		var a, b int
		_, _ = fmt.Sscan(seen[i-1]+" "+seen[i], &a, &b)
		if b != a+1 {
			t.Fatalf("line %d follows line %d", b, a)
		}
	}
}
