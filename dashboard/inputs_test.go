package dashboard_test

import (
	"net/url"
	"strings"
	"testing"

	"blaise.dev/blaise"

	"github.com/chromedp/chromedp"
)

const asking = `apiVersion: blaise.dev/v1
kind: Agent
metadata: {name: asking}
spec:
  inputs:
    repo: {required: true, description: where it works}
    level: {enum: [low, high], default: low}
    loud: {type: boolean}
`

// What an agent declares as inputs are fields of the page for a new session; one
// that is missing is said in the page's own words, and what was filled in stays
// (X12).
func TestNewAsksForInputs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if resp, text := d.do("POST", "/agents", url.Values{"manifest": {asking}}); resp.StatusCode != 200 {
		t.Fatal(resp.Status, text)
	}
	text := d.page("/new?agent=asking")
	for _, want := range []string{
		`data-inputs="asking"><legend>`, `<input name="set.asking/repo" value="" required`, "repo (needed)", "where it works",
		`<select name="set.asking/level"><option value="low" selected>`, `<option value="true">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s:\n%s", want, text)
		}
	}
	if text := d.page("/new?agent=demo"); !strings.Contains(text, `data-inputs="asking" hidden disabled`) {
		t.Errorf("what another agent asks for is shown:\n%s", text)
	}
	form := url.Values{"agent": {"asking"}, "text": {"hello"}, "key": {"k"}, "set.asking/level": {"high"}, "set.demo/x": {"1"}}
	_, text = d.do("POST", "/new", form)
	for _, want := range []string{`agent asking needs the input &#34;repo&#34;`, "fill it in under Inputs: TEXT", `<option value="high" selected>`} {
		if !strings.Contains(text, want) {
			t.Errorf("the refusal has no %s:\n%s", want, text)
		}
	}
	form.Set("set.asking/repo", "roof")
	resp, text := d.do("POST", "/new", form)
	if resp.StatusCode != 303 {
		t.Fatal(resp.Status, text)
	}
	v, err := d.control.View(t.Context(), blaise.SessionID(strings.TrimPrefix(resp.Header.Get("Location"), "/sessions/")))
	if got := v.Session.Inputs; err != nil || got["repo"] != "roof" || got["level"] != "high" || got["loud"] != "" {
		t.Errorf("the session has the inputs %v (%v)", got, err)
	}
}

// TestBrowserInputs holds that the fields are those of the agent that is chosen,
// and that one which is needed is asked for before anything is sent.
func TestBrowserInputs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.do("POST", "/agents", url.Values{"manifest": {asking}})
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/new?agent=demo"))
	d.until(ctx, `document.querySelector("[data-inputs]").checkVisibility() === false`)
	d.js(ctx, `{const a = document.querySelector("[data-agents]"); a.value = "asking"; a.dispatchEvent(new Event("change", {bubbles: true}))}`)
	d.until(ctx, `document.querySelector("[data-inputs]").checkVisibility()`)
	d.js(ctx, `document.querySelector("[name=text]").value = "hello"; document.querySelector("button.primary").click()`)
	d.until(ctx, `document.querySelector(":invalid[name='set.asking/repo']") && location.pathname === "/new"`)
	d.js(ctx, `document.querySelector("[name='set.asking/repo']").value = "roof"; document.querySelector("button.primary").click()`)
	d.until(ctx, `location.pathname.startsWith("/sessions/")`)
}
