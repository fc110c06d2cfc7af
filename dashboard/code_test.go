package dashboard_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"
)

// A conversation full of code that is hard to read, in languages that nobody
// knows, is shown whole, and not coloured where that takes too long.
func TestHardCodeIsShownAsItIs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	hard := strings.Repeat("(", 4000)
	d.begin("code")
	d.record(
		chunk("```go\nfunc f()\n```\n\n```makefile\n"+hard+"\n```\n"),
		transcript.New(transcript.KindNotice, map[string]any{"text": "and now"}),
		chunk(strings.Repeat("```"+strings.Repeat("a", 40)+"\nb\n```\n", 2000)),
	)
	page := d.page("/sessions/" + string(d.id))
	if !strings.Contains(page, hard) || !strings.Contains(page, `<span class="kd">func</span>`) {
		t.Error("the code is not whole, or what is easy in it not coloured")
	}
}
