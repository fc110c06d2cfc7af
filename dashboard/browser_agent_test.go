package dashboard_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"

	"github.com/chromedp/chromedp"
)

// TestBrowserAgent holds that a policy is changed in its form and as YAML, that
// a dry run tells what would happen to which session and writes nothing, and
// that the page tells who changed what (A6, A9).
func TestBrowserAgent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.begin("hello")
	if _, err := d.control.Claim(t.Context(), d.run, d.id.Message(1)); err != nil {
		t.Fatal(err)
	}
	d.report(2, blaise.Event{Kind: blaise.EventTurnEnded, Message: d.id.Message(1), Result: blaise.MessageAnswered})
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/agents"), chromedp.Click(chromedp.CSS(".row")))
	d.until(ctx, `!!document.querySelector(".policy")`)
	d.js(ctx, `document.getElementById("policy.idle.after").value = "1ms";
		document.querySelector('.card button[name="dry"]').click()`)
	d.until(ctx, `document.querySelector(".foreseen")?.innerText.includes("1 session would pause now: `+string(d.id)+`")`)
	d.picture(ctx, "agent")
	a, err := d.control.Agent(t.Context(), "demo")
	if err != nil || a.Revision != 1 {
		t.Fatalf("a dry run has written revision %d: %v", a.Revision, err)
	}
	d.js(ctx, `document.querySelector('.card button.primary').click()`)
	d.until(ctx, `document.querySelector(".good")?.innerText.includes("revision 2")
		&& document.querySelector("textarea").value.includes("after: 1ms")`)
	d.until(ctx, `[...document.querySelectorAll(".diff .add")].some((e) => e.textContent.includes("after: 1ms"))`)

	d.js(ctx, `document.getElementById("policy.idle.after").value = "soon"; document.querySelector('.card button.primary').click()`)
	d.until(ctx, `document.querySelector("#errors").innerText.includes("not a duration")`)
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/agents/demo"))
	d.js(ctx, `document.getElementById("policy.idle.after").value = ""; document.querySelector('.card button.primary').click()`)
	d.until(ctx, `document.querySelector(".good")?.innerText.includes("revision 3")
		&& !document.querySelector("textarea").value.includes("idle")`)
}

// TestAgentOfAnother holds that a page of one agent changes no other.
func TestAgentOfAnother(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	resp, text := d.do("POST", "/agents/demo/policy", map[string][]string{
		"manifest": {"apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: other}\nspec: {}\n"},
	})
	if resp.StatusCode != 400 || !strings.Contains(text, "this is the manifest of agent other") {
		t.Errorf("%s\n%s", resp.Status, text)
	}
	if list, err := d.control.Agents(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("agents %v, %v", list, err)
	}
}
