package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"
)

// What turns the direction of text or moves a cursor is in no line, and is
// escaped in JSON, which stays what it was.
func TestWhatDeceivesIsNotPrinted(t *testing.T) {
	t.Parallel()
	for _, r := range "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u0085\u009b\x7f\x1b" {
		said := map[string]string{"a" + string(r): "<é> 漢" + string(r) + "\n"}
		if got := transcript.Harmless(said["a"+string(r)]); strings.ContainsRune(got, r) {
			t.Errorf("%U: the line %q", r, got)
		}
		for _, indent := range []string{"", "  "} {
			var b strings.Builder
			if err := transcript.PrintJSON(&b, said, indent); err != nil {
				t.Fatal(err)
			}
			var back map[string]string
			err := json.Unmarshal([]byte(b.String()), &back)
			if err != nil || back["a"+string(r)] != said["a"+string(r)] || strings.ContainsRune(b.String(), r) {
				t.Errorf("%U: %v, %q", r, err, b.String())
			}
			if !strings.Contains(b.String(), "<é> 漢") || strings.Contains(b.String(), "\n ") != (indent != "") {
				t.Errorf("%U: %q", r, b.String())
			}
		}
	}
	var b strings.Builder
	if err := transcript.PrintJSON(&b, json.RawMessage("\"a\x9b2J\""), ""); err != nil || b.String() != "\"a\\ufffd2J\"\n" {
		t.Errorf("a byte that is no text: %v, %q", err, b.String())
	}
}
