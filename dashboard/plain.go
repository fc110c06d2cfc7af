package dashboard

import (
	"fmt"
	"regexp"
	"strings"

	"blaise.dev/blaise/transcript"
)

// escapes are the sequences by which programs colour a terminal, and worse.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// plain is text from an agent, a file or a stranger without what would make it
// look like something else: terminal sequences are left out, and characters
// that turn the direction of what follows are named instead of obeyed.
func plain(text string) string {
	if strings.ContainsRune(text, '\x1b') {
		text = escapes.ReplaceAllString(text, "")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, deceives) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !deceives(r):
			b.WriteRune(r)
		case r == '\r':
			b.WriteByte('\n')
		case r < ' ' || r == 0x7f:
			b.WriteRune('\uFFFD')
		default:
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// deceives leaves newline and tab alone.
func deceives(r rune) bool { return r != '\n' && r != '\t' && transcript.Deceives(r) }
