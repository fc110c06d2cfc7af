package transcript_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"
)

func TestTail(t *testing.T) {
	t.Parallel()
	t.Run("gives lines when they are whole, and the rest once", func(t *testing.T) {
		t.Parallel()
		var tail transcript.Tail
		var got []string
		for _, p := range []string{"on", "e\ntwo\nth", "ree", "\n\nfour"} {
			got = append(got, tail.Take([]byte(p)))
		}
		got = append(got, tail.Rest(), tail.Rest())
		if want := "|one\ntwo||three|four|"; strings.Join(got, "|") != want {
			t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
		}
		if got := tail.Last(3); got != "three\n\nfour" {
			t.Errorf("last lines: %q", got)
		}
	})
	t.Run("cuts a line that does not end, and keeps the end of all", func(t *testing.T) {
		t.Parallel()
		var tail transcript.Tail
		if got := tail.Take([]byte(strings.Repeat("a", 9<<10))); len(got) != 9<<10 {
			t.Errorf("%d bytes of a long line", len(got))
		}
		for range 9 {
			tail.Take([]byte(strings.Repeat("b", 8<<10)))
		}
		if got := tail.Kept(); got != strings.Repeat("b", 64<<10) {
			t.Errorf("kept %d bytes, %q...", len(got), got[:10])
		}
	})
}
