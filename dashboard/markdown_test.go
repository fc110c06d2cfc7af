package dashboard_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"
)

// What an agent writes as a list of tasks or as a quote is seen as one; the bars
// of what has been done go, that of what was cut short stays.
func TestTasksQuotesAndBars(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	d.record(
		chunk("> so they said\n\n- [x] dig\n- [ ] fill\n"),
		transcript.New(transcript.KindProgress, map[string]any{"what": "Counting objects", "done": 7, "total": 7}),
		transcript.New(transcript.KindProgress, map[string]any{"what": "Receiving objects", "done": 3, "total": 7}),
	)
	text := d.page("/sessions/" + string(d.id))
	for _, want := range []string{
		"<blockquote>\n<p>so they said</p>", "<li>☑ dig</li>", "<li>☐ fill</li>",
		` hidden><bdi>Counting objects</bdi>`, `"><bdi>Receiving objects</bdi> <progress max="100" value="42">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	if !strings.Contains(d.page("/"), `title="begun by ann"><bdi>ann</bdi>`) {
		t.Error("the list does not say who began the session")
	}
}
