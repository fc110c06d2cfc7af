package dashboard_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// delivered waits until what the one webhook was told has so many answers.
func (d *desk) delivered(answers int) {
	d.t.Helper()
	all, err := d.control.Webhooks(d.t.Context())
	for end := time.Now().Add(20 * time.Second); err == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		told, err := d.control.Deliveries(d.t.Context(), all[0].ID, "", 1)
		if err == nil && len(told) == 1 && len(told[0].Attempts) == answers && told[0].Attempts[answers-1].Over() {
			return
		}
	}
	d.t.Fatalf("never delivered: %v", err)
}

// TestBrowserWebhook holds that a webhook is made, looked at and deleted on its
// pages, that its secret is shown once and is the one that signs, and that a
// delivery is sent again with a button.
func TestBrowserWebhook(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	var secret atomic.Value
	var verified atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hook, err := standardwebhooks.NewWebhook(secret.Load().(string))
		if err == nil {
			err = hook.Verify(body, r.Header)
		}
		if err != nil {
			t.Error(err)
		}
		verified.Add(1)
	}))
	defer s.Close()

	d.steps(ctx, chromedp.Click(chromedp.CSS(`nav a[href="/account"]`)), chromedp.Click(chromedp.CSS(`nav a[href="/webhooks"]`)))
	d.until(ctx, `document.querySelector("h1")?.textContent === "Webhooks"`)
	d.steps(ctx, chromedp.SendKeys(chromedp.CSS(`input[name="url"]`), "http://ann:secret@127.0.0.1/"), chromedp.Click(chromedp.CSS("form.form button.primary")))
	d.until(ctx, `document.querySelector("#errors").innerText.includes("would stand in every list")`)
	d.js(ctx, `document.querySelector('input[name="url"]').value = "`+s.URL+`";
		document.querySelectorAll('input[name="event"]').forEach((e) => e.checked = e.value === "session.created");
		document.querySelector("form.form button.primary").click()`)
	d.until(ctx, `document.querySelector("pre.copy")?.textContent.startsWith("whsec_")`)
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector("pre.copy").textContent`))
	if err != nil {
		t.Fatal(err)
	}
	secret.Store(shown)
	d.picture(ctx, "webhooks")
	d.begin("hello")
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/webhooks"))
	d.until(ctx, `!document.querySelector("pre.copy") && document.querySelector(".row").innerText.includes("1 of 8 events")`)
	d.delivered(1)
	d.steps(ctx, chromedp.Click(chromedp.CSS(".row")))
	d.until(ctx, `document.querySelector("tbody")?.innerText.includes("200 in")`)
	d.picture(ctx, "webhook")
	d.js(ctx, `document.querySelector("tbody button").click()`)
	d.delivered(2)
	d.js(ctx, `location.reload()`)
	d.until(ctx, `document.querySelectorAll("tbody li").length === 2 && document.querySelector("tbody").innerText.includes("delivered")`)
	if n := verified.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	d.steps(ctx, chromedp.Click(chromedp.CSS(".acts summary")), chromedp.Click(chromedp.CSS(".acts button")))
	d.until(ctx, `document.body.innerText.includes("There is no webhook yet")`)
}
