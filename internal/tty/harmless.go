package tty

import (
	"regexp"
	"strconv"
	"strings"

	"blaise.dev/blaise/transcript"

	"github.com/charmbracelet/x/ansi"
)

// Harmless takes the control characters out of what agents and repositories
// wrote, so that it can move no cursor, change no title and hide no text. It
// leaves newline and tab.
func Harmless(s string) string {
	if strings.IndexFunc(s, harmful) < 0 {
		return s
	}
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

// reference is a character written by its number, as Markdown may.
var reference = regexp.MustCompile(`&#([0-9]{1,7}|[xX][0-9a-fA-F]{1,6});?`)

// defused is s without characters that would become harmful when its references
// are read.
func defused(s string) string {
	if !strings.Contains(s, "&#") {
		return s
	}
	return reference.ReplaceAllStringFunc(s, func(ref string) string {
		digits, base := strings.TrimSuffix(ref[2:], ";"), 10
		if digits[0] == 'x' || digits[0] == 'X' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseInt(digits, base, 32)
		if err != nil || harmful(rune(n)) {
			return "\uFFFD"
		}
		return ref
	})
}
