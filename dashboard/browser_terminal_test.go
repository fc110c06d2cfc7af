package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowserSignsATerminalIn holds that the page which `blaise login` opens
// shows what the terminal shows, and on a click takes a link to where it waits.
func TestBrowserSignsATerminalIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	came := make(chan url.Values, 1)
	terminal := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Has("code") {
			came <- q
		}
	}))
	t.Cleanup(terminal.Close)
	at, err := url.Parse(terminal.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx := d.browser()
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/login/terminal?check=ABCD-2345&port="+at.Port()))
	d.until(ctx, `document.querySelector("pre")?.textContent === "ABCD-2345" && document.body.innerText.includes("as ann (admin)")`)
	d.picture(ctx, "login-terminal")
	d.js(ctx, `document.querySelector("button").click()`)
	select {
	case q := <-came:
		if q.Get("check") != "ABCD-2345" {
			t.Errorf("the terminal is told %v", q)
		}
		if _, _, err := d.control.Login(t.Context(), q.Get("code"), "terminal", "127.0.0.1"); err != nil {
			t.Errorf("the code signs nobody in: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing came to the terminal")
	}
}
