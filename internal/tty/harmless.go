package tty

import (
	"strings"

	"blaise.dev/blaise/transcript"

	"github.com/charmbracelet/x/ansi"
)

// Harmless takes the control characters out of what agents and repositories
// wrote, so that it can move no cursor, change no title and hide no text. It
// leaves newline and tab. Bytes that are no text go too: there are terminals that
// obey them.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if harmful(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// harmful leaves newline and tab alone.
func harmful(r rune) bool { return r != '\n' && r != '\t' && transcript.Deceives(r) }

// OneLine is s on one harmless line that fills at most n cells.
func OneLine(s string, n int) string {
	if len(s) > 16*n { // a line of many megabytes is not walked for its beginning
		s = strings.ToValidUTF8(s[:16*n], "")
	}
	s = strings.Join(strings.Fields(Harmless(s)), " ")
	return ansi.Truncate(s, n, "…")
}
