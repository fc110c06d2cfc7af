package dashboard_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"

	"github.com/chromedp/chromedp"
)

// pixel is a picture of one point.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// js runs a script in the page.
func (d *desk) js(ctx context.Context, script string) {
	d.t.Helper()
	d.steps(ctx, chromedp.Evaluate[chromedp.Void]("(() => {"+script+"})()"))
}

// TestBrowserAttachments holds that files are chosen, dropped, sent and shown: a
// picture as one, everything else to be downloaded.
func TestBrowserAttachments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.begin("hello")
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	note := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(note, []byte("<html><script>alert(1)</script></html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.steps(ctx, chromedp.SetUploadFiles(chromedp.CSS(`#say input[type=file]`), []string{note}))
	d.js(ctx, `const bytes = Uint8Array.from(atob("`+pixel+`"), (c) => c.charCodeAt(0));
		const data = new DataTransfer();
		data.items.add(new File([bytes], "point.png", { type: "text/plain" }));
		document.querySelector("#text").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));`)
	d.until(ctx, `document.querySelector("#say input[type=file]").files.length === 2`)
	d.steps(ctx, chromedp.SendKeys(chromedp.CSS("#text"), "look at these"), chromedp.Click(chromedp.CSS("#say button")))
	d.until(ctx, `document.querySelector("#queue").innerText.includes("with point.png (image/png, ")
		&& document.querySelector("#say input[type=file]").files.length === 0`)

	m := d.attached("look at these")
	parts := []map[string]any{}
	for _, a := range m.Attachments {
		parts = append(parts, map[string]any{"name": a.Name, "type": a.Type, "size": a.Size, "sha256": a.SHA256, "sent": "image"})
	}
	d.record(transcript.New(transcript.KindMessage, map[string]any{
		"message": m.ID, "author": "ann", "text": m.Text, "attachments": parts,
	}))
	d.until(ctx, `document.querySelector(".said .file img")?.naturalWidth === 1`)
	d.until(ctx, `document.querySelector(".said .file a[download]")?.textContent === "page.html"`)
	d.picture(ctx, "attachments")

	for _, a := range m.Attachments {
		resp, body := d.do("GET", "/sessions/"+string(d.id)+"/files/"+a.SHA256, nil)
		h := resp.Header
		kind, how := "application/octet-stream", "attachment; filename=page.html"
		if a.Name == "point.png" {
			kind, how = "image/png", "inline; filename=point.png"
		}
		if h.Get("Content-Type") != kind || h.Get("Content-Disposition") != how || int64(len(body)) != a.Size ||
			h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", a.Name, h)
		}
	}
	if resp, _ := d.do("GET", "/sessions/"+string(d.id)+"/files/"+strings.Repeat("0", 64), nil); resp.StatusCode != 404 {
		t.Errorf("a file that is not there: %s", resp.Status)
	}
}

// attached waits for the message with a text, and checks its picture.
func (d *desk) attached(text string) blaise.Message {
	d.t.Helper()
	v, err := d.control.View(d.t.Context(), d.id)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, m := range v.Messages {
		if m.Text != text {
			continue
		}
		raw, _ := base64.StdEncoding.DecodeString(pixel)
		if len(m.Attachments) != 2 || m.Attachments[1].Type != "image/png" || m.Attachments[1].Size != int64(len(raw)) ||
			m.Attachments[0].Type != "text/html" {
			d.t.Fatalf("attachments %+v", m.Attachments)
		}
		return m
	}
	d.t.Fatalf("no message %q", text)
	return blaise.Message{}
}

// TestBrowserSettings holds that the agent's settings are chosen in select
// boxes, and what it tells of itself is shown.
func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.begin("hello")
	d.told(2, blaise.AgentStatus{
		Settings: []blaise.Setting{
			{ID: "model", Value: "small", Choices: []blaise.Choice{{Value: "small"}, {Value: "large", Name: "The large one"}}},
			{ID: "mode", Value: "ask", Choices: []blaise.Choice{{Value: "ask"}, {Value: "auto"}}},
		},
		Commands: []blaise.Command{{Name: "review", Description: "Reviews."}},
		Plan:     []blaise.PlanStep{{Text: "one", Status: "completed"}, {Text: "two", Status: "pending"}},
	})
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.until(ctx, `document.querySelector("#side").innerText.includes("plan: 1 of 2 done")`)
	d.until(ctx, `document.querySelector("#side").innerText.includes("1 that the agent takes")`)
	d.js(ctx, `const box = document.querySelector('select[name="setting.model"]');
		box.value = "large";
		box.dispatchEvent(new Event("change", { bubbles: true }));`)
	d.until(ctx, `document.querySelector("#side").innerText.includes("chosen, not taken yet")
		&& document.querySelector('select[name="setting.model"]').value === "large"`)
	d.picture(ctx, "settings")
	ds, _, err := d.control.Directives(t.Context(), d.run, 0, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	set := ds[len(ds)-1]
	if set.Kind != blaise.DirectiveSet || len(set.Set) != 1 || set.Set["model"] != "large" {
		t.Fatalf("directives %+v", ds)
	}
	d.report(3, blaise.Event{
		Kind: blaise.EventConversation, Conversation: &blaise.Conversation{ACP: "a"}, Set: set.Set,
	})
	d.until(ctx, `!document.querySelector("#side").innerText.includes("chosen, not taken yet")`)
}

func (d *desk) told(n int64, s blaise.AgentStatus) {
	d.t.Helper()
	a, err := d.control.Report(d.t.Context(), d.run, control.Report{
		N: n, Event: blaise.Event{Kind: control.EventStatusTold}, Status: &s,
	})
	if err != nil || a.Error != "" {
		d.t.Fatal(a, err)
	}
}

// TestBrowserForm holds that what an agent asks for is filled in on the page,
// and that what does not fit is said there.
func TestBrowserForm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.begin("hello")
	if _, err := d.control.Claim(t.Context(), d.run, d.id.Message(1)); err != nil {
		t.Fatal(err)
	}
	d.report(2, blaise.Event{Kind: blaise.EventQuestionAsked, Ask: &blaise.Question{
		Key: "k", Kind: blaise.QuestionElicitation, Title: "Who are you?", Turn: d.id.Message(1),
		Detail: []byte(`{"mode":"form","message":"Who are you?","requestedSchema":{"type":"object","required":["name","count"],
			"properties":{"name":{"type":"string","title":"Name"},"count":{"type":"integer","title":"How many"},
			"colour":{"type":"string","enum":["red","green"],"default":"red"}}}}`),
		Options: []blaise.Option{
			{ID: blaise.ChoiceAccept, Name: "Answer", Kind: "allow_once"},
			{ID: blaise.ChoiceDecline, Name: "Decline", Kind: "reject_once"},
		},
	}})
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.until(ctx, `document.querySelector(".card.ask select")?.value === "red"`)
	d.steps(ctx,
		chromedp.SendKeys(chromedp.CSS(`.card.ask input[name="set.name"]`), "Ann"),
		chromedp.SendKeys(chromedp.CSS(`.card.ask input[name="set.count"]`), "two"),
		chromedp.Click(chromedp.CSS(".card.ask button.allow_once")))
	d.until(ctx, `document.querySelector("#errors").innerText.includes("two")`)
	// No mouse here: the error has moved the page, and the browser scrolls it still.
	d.js(ctx, `document.querySelector('.card.ask input[name="set.count"]').value = "2";
		document.querySelector(".card.ask button.allow_once").click()`)
	d.until(ctx, `!document.querySelector(".card.ask")`)
	v, err := d.control.View(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(v.Questions[0].Content); got != `{"colour":"red","count":2,"name":"Ann"}` {
		t.Errorf("answered %s", got)
	}
}
