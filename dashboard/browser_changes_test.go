package dashboard_test

import (
	"context"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/dashboard"

	"github.com/chromedp/chromedp"
)

// TestBrowserChanges holds that the page of a session leads to what it changed,
// file by file, and that names and lines that an agent wrote are text.
func TestBrowserChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(o *dashboard.Options) {
		o.Changes = func(_ context.Context, s api.Session) (dashboard.Changes, error) {
			return dashboard.Changes{
				From: "/tree/" + string(s.ID), Patch: "diff --git a/<b>x</b> b/<b>x</b>\nindex 1..2 100644\n--- a/<b>x</b>\n+++ b/<b>x</b>\n" +
					"@@ -1,2 +1,2 @@\n same\n--- old\n+<script>document.title='bad'</script>\n" +
					"diff --git a/pic b/pic\nindex 1..2\nBinary files a/pic and b/pic differ\n",
				Files: []dashboard.ChangedFile{{Path: "<b>x</b>", Added: 1, Deleted: 1}, {Path: "pic", Added: -1, Deleted: -1}},
			}, nil
		}
	})
	ctx := d.browser()
	d.begin("hello")
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.js(ctx, `document.querySelector('a[href$="/changes"]').click()`)
	d.until(ctx, `document.querySelector("h1")?.textContent === "Changes"`)
	d.until(ctx, `document.querySelectorAll("details.card").length === 2 && document.querySelector("summary").innerText.includes("<b>x</b> +1 −1")
		&& document.querySelector(".del").textContent.trim() === "--- old" && document.querySelector(".add").textContent.includes("<script>")
		&& document.body.innerText.includes("binary") && document.title.startsWith("Changes")`)
	d.picture(ctx, "changes")
}

// Where the files are elsewhere the page says so, and what to do.
func TestChangesElsewhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	got := d.page("/sessions/" + string(d.id) + "/changes")
	for _, want := range []string{"where the session&#39;s runner is", "blaise diff " + string(d.id), "Nothing has been saved yet"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	d.report(2, blaise.Event{Kind: blaise.EventWorkSaved, Saved: &blaise.SavedWork{N: 1, Ref: "refs/blaise/x/1", Files: 3}})
	if got := d.page("/sessions/" + string(d.id) + "/changes"); !strings.Contains(got, "save 1: 3 files") {
		t.Error(got)
	}
}
