package dashboard_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"

	"github.com/chromedp/chromedp"
)

// TestBrowserChanges holds that the page of a session leads to what it changed,
// file by file, and that names and lines that an agent wrote are text.
func TestBrowserChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	d.begin("hello")
	d.tells(blaise.Diff{
		From: "/tree/" + string(d.id), Patch: "diff --git a/<b>x</b> b/<b>x</b>\nindex 1..2 100644\n--- a/<b>x</b>\n+++ b/<b>x</b>\n" +
			"@@ -1,2 +1,2 @@\n same\n--- old\n+<script>document.title='bad'</script>\n" +
			"diff --git a/pic b/pic\nindex 1..2\nBinary files a/pic and b/pic differ\n",
		Files: []blaise.FileChange{{Path: "<b>x</b>", Added: 1, Deleted: 1}, {Path: "pic", Added: -1, Deleted: -1}},
	})
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/sessions/"+string(d.id)))
	d.js(ctx, `document.querySelector('a[href$="/changes"]').click()`)
	d.until(ctx, `document.querySelector(".views a[aria-current]")?.textContent === "Changes"`)
	d.until(ctx, `document.querySelectorAll("details.card").length === 2 && document.querySelector("summary").innerText.includes("<b>x</b> +1 −1")
		&& document.querySelector(".del").textContent.trim() === "--- old" && document.querySelector(".add").textContent.includes("<script>")
		&& document.body.innerText.includes("binary") && document.title.startsWith("Changes")`)
	d.picture(ctx, "changes")
}

// tells is what the session's run says that it changed.
func (d *desk) tells(diff blaise.Diff) {
	d.t.Helper()
	if err := d.control.KeepDiff(d.t.Context(), d.run, diff); err != nil {
		d.t.Fatal(err)
	}
}

// The page asks the run to look, once, and shows its answer when it comes; until
// then it says so, and what to do if it never comes.
func TestChangesAreAskedOfTheRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	path := "/sessions/" + string(d.id) + "/changes"
	resp, text := d.do("GET", path, nil)
	refresh := resp.Header.Get("Refresh")
	wait, again, ok := strings.Cut(refresh, "; url=")
	if !ok || wait == "" || !strings.Contains(text, "The run is looking") {
		t.Fatalf("Refresh %q\n%s", refresh, text)
	}
	list, _, err := d.control.Directives(t.Context(), d.run, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	asked := slices.DeleteFunc(list, func(x blaise.Directive) bool { return x.Kind != blaise.DirectiveDiff })
	if len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
	var files []blaise.FileChange
	for i := range 301 {
		files = append(files, blaise.FileChange{Path: "f\u202e" + strconv.Itoa(i), Added: 1})
	}
	d.tells(blaise.Diff{From: "tree", Cut: true, Files: files, Patch: "diff --git a/f0 b/f0\n@@ -0,0 +1 @@\n+new\n"})
	resp, text = d.do("GET", path+again, nil)
	for _, want := range []string{"f[U&#43;202E]0", "&#43;new", "first MB", "past the first MB", "1 more file not shown"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if got := resp.Header.Get("Refresh"); got != "" || strings.Contains(text, "\u202e") {
		t.Errorf("Refresh %q", got)
	}
	if text := d.page(path + "?asked=1"); strings.Contains(text, "has not told") {
		t.Error("a run that told is called silent")
	}
	late := strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)
	if text := d.page(path + "?asked=" + late); !strings.Contains(text, "The run is looking") {
		t.Error("it is not said that a newer look is awaited")
	}
	d.tells(blaise.Diff{Error: "<i>no</i> tree"})
	if text := d.page(path); !strings.Contains(text, "could not look: <bdi>&lt;i&gt;no&lt;/i&gt; tree") {
		t.Error(text)
	}
}

// A file that became a link is one file in two parts of the patch: its lines are
// under its name, and those of the next file under that one's.
func TestChangesOfAFileThatBecameALink(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	d.tells(blaise.Diff{
		From: "tree", Files: []blaise.FileChange{{Path: "a", Added: 1, Deleted: 1}, {Path: "b", Added: 1}},
		Patch: "diff --git a/a b/a\ndeleted file mode 100644\nindex 1..0\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-was a file\n" +
			"diff --git a/a b/a\nnew file mode 120000\nindex 0..2\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+is a link\n" +
			"diff --git a/b b/b\nindex 1..2 100644\n--- a/b\n+++ b/b\n@@ -0,0 +1 @@\n+of the next\n",
	})
	page := d.page("/sessions/" + string(d.id) + "/changes?asked=1")
	at := -1
	for _, want := range []string{"<bdi>a</bdi>", "-was a file", "&#43;is a link", "</details>", "<bdi>b</bdi>", "&#43;of the next"} {
		next := strings.Index(page, want)
		if next <= at {
			t.Errorf("%q is at %d, after %d", want, next, at)
		}
		at = next
	}
}

// Where no run has told, the page says where to look.
func TestChangesUnknown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	path := "/sessions/" + string(d.id) + "/changes?asked=1"
	got := d.page(path)
	for _, want := range []string{"has not told", "No run has told", "blaise diff " + string(d.id), "Nothing has been saved yet"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	d.report(2, blaise.Event{Kind: blaise.EventWorkSaved, Saved: &blaise.SavedWork{N: 1, Ref: "refs/blaise/x/1", Files: 3}})
	if got := d.page(path); !strings.Contains(got, "save 1: 3 files") {
		t.Error(got)
	}
}
