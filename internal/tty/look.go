package tty

import (
	"bytes"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A Look is how text is shown: how many cells are in a line, and whether in
// colours. Colours are the terminal's own sixteen, which suit its background.
type Look struct {
	Width  int // 0: as long as a line is
	Colour bool
}

// Dim is for what is beside the point.
func (l Look) Dim(s string) string { return l.paint("2", s) }

// Strong is for what a person said.
func (l Look) Strong(s string) string { return l.paint("1", s) }

// Good is for what went well.
func (l Look) Good(s string) string { return l.paint("32", s) }

// Bad is for what failed.
func (l Look) Bad(s string) string { return l.paint("31", s) }

// Ask is for what needs a person.
func (l Look) Ask(s string) string { return l.paint("1;33", s) }

// paint wraps each line by itself: a line is then whole wherever it is cut off.
func (l Look) paint(code, s string) string {
	if !l.Colour || code == "" || s == "" {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, one := range lines {
		if one != "" {
			lines[i] = "\x1b[" + code + "m" + one + "\x1b[0m"
		}
	}
	return strings.Join(lines, "\n")
}

// Wrap makes s lines that fit, the first behind one lead, the others behind
// another.
func (l Look) Wrap(s, first, rest string) []string {
	return l.fold(s, first, rest, wrap)
}

// wrap breaks lines between words, and wherever they end where that is not
// enough: before a dash a line may grow too long.
func wrap(s string, width int) string {
	return ansi.Hardwrap(ansi.Wrap(s, width, " -"), width, false)
}

// carry takes colours that are on where a line ends on into the next.
func carry(s string) string {
	var b bytes.Buffer
	w := lipgloss.NewWrapWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close() // into memory
	return b.String()
}

// Words is as Wrap, but takes no word apart: a path stays whole, to be copied.
func (l Look) Words(s, first, rest string) []string {
	return l.fold(s, first, rest, func(s string, width int) string {
		var b strings.Builder
		used := 0
		for i, word := range strings.Split(s, " ") {
			n := ansi.StringWidth(word)
			switch {
			case i == 0:
			case used+1+n > width:
				b.WriteByte('\n')
				used = 0
			default:
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += n
		}
		return b.String()
	})
}

func (l Look) fold(s, first, rest string, wrap func(string, int) string) []string {
	s = strings.ReplaceAll(s, "\t", "    ")
	if l.Width > 0 {
		s = wrap(s, max(l.Width-max(ansi.StringWidth(first), ansi.StringWidth(rest)), 8))
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lead := rest
		if i == 0 {
			lead = first
		}
		lines[i] = strings.TrimRight(lead+lines[i], " ")
	}
	return lines
}

// Cut is s cut to the width, which may hold colours.
func (l Look) Cut(s string) string {
	if l.Width <= 0 {
		return s
	}
	return ansi.Truncate(s, l.Width, "…")
}

// Colours says whether a terminal is to get colours: "always" and "never" are
// obeyed; "auto" asks whether there is one, and what NO_COLOR and TERM say.
func Colours(when string, terminal bool, env func(string) string) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"
}
