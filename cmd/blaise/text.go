package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// harmless takes the control characters out of what agents and repositories
// wrote, so that it can move no cursor, change no title and hide no text.
func harmless(s string) string {
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

// harmful leaves newline and tab alone; it takes the characters that reorder
// text as well, which can make a command read as another.
func harmful(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return unicode.IsControl(r)
}

// oneLine is s on one line, at most n characters long.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(harmless(s)), " ")
	if r := []rune(s); len(r) > n && n > 1 {
		return string(r[:n-1]) + "…"
	}
	return s
}

// ago is how long ago t was, roughly.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return rough(now.Sub(t)) + " ago"
}

// rough is d in its largest unit.
func rough(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// plural is a number of things in words; it knows things with an s alone.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// dash stands for what is empty in a table.
func dash[T ~string](s T) string {
	if s == "" {
		return "-"
	}
	return string(s)
}
