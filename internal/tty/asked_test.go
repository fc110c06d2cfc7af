package tty_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/internal/tty"
)

// Who approves sees what: command, path, content and change, harmless, and as
// much as there is room for.
func TestAsked(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, detail string
		rows         int
		want         string
	}{
		{"a command", `{"toolCall":{"title":"Run it","rawInput":{"command":"rm -rf /\u001b[8m hidden","timeout":5}}}`, 0,
			"  command: rm -rf /�[8m hidden\n  timeout: 5"},
		{"a command of many words", `{"toolCall":{"rawInput":{"command":["sh","-c","ls"]}}}`, 0, `  command: ["sh","-c","ls"]`},
		{"a file to write", `{"toolCall":{"rawInput":{"path":"a.go","text":"one\ntwo\n"}}}`, 0,
			"  path: a.go\n  text:\n    one\n    two"},
		{"a change, told once", `{"toolCall":{"rawInput":{"file_path":"a.go","new_string":"B\nC","why":"so"},"content":[` +
			`{"type":"diff","path":"a.go","oldText":"A\nb\nZ\n","newText":"A\nB\nC\nZ\n"}]}}`, 0,
			"  a.go, from line 2\n  - b\n  + B\n  + C\n  why: so"},
		{"a text", `{"toolCall":{"content":[{"type":"content","content":{"type":"text","text":"fetch it"}}]}}`, 0, "  fetch it"},
		{"a place alone", `{"toolCall":{"locations":[{"path":"/x"}]}}`, 0, "  path: /x"},
		{"more than fits", `{"toolCall":{"rawInput":{"text":"1\n2\n3\n4\n5"}}}`, 3, "  text:\n    1\n  … 4 more lines"},
		{"what just fits", `{"toolCall":{"rawInput":{"text":"1\n2"}}}`, 3, "  text:\n    1\n    2"},
		{"nothing", `{"toolCall":{"title":"x"}}`, 5, ""},
		{"what cannot be read", `7`, 5, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(tty.Look{}.Asked([]byte(x.detail), x.rows), "\n")
			if got != x.want {
				t.Errorf("got\n%s\nwant\n%s", got, x.want)
			}
		})
	}
}
