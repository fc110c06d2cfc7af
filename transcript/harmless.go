package transcript

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmless makes s one line that a terminal shows as it is: without control
// characters, escape sequences and marks that turn the direction of text.
func Harmless(s string) string {
	return strings.Join(strings.FieldsFunc(strings.Map(visible, s), unicode.IsSpace), " ")
}

func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case Deceives(r), r == '\ufeff':
		return -1
	}
	return r
}

// Deceives says that a character is not shown itself, and can make others show
// as what they are not: control characters, newline and tab among them, and
// those that turn the direction of text.
func Deceives(r rune) bool {
	switch {
	case r == '\u061c', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return unicode.IsControl(r)
}

// PrintJSON writes v as JSON for people and programs: with an indent in lines,
// with "" on one. Characters that deceive are escaped in it.
func PrintJSON(w io.Writer, v any, indent string) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escaped(text.String()))
	return err
}

// escaped is JSON without characters that deceive. Beyond ASCII they stand in
// its strings alone.
func escaped(text string) string {
	at := func(r rune) bool { return r >= 0x7f && (r == utf8.RuneError || Deceives(r)) }
	if strings.IndexFunc(text, at) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if at(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
