package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"blaise.dev/blaise/internal/tty"
)

// harmless and oneLine are tty's, by shorter names.
func harmless(s string) string { return tty.Harmless(s) }

func oneLine(s string, n int) string { return tty.OneLine(s, n) }

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

// dash stands for what is empty in a table.
func dash[T ~string](s T) string {
	if s == "" {
		return "-"
	}
	return string(s)
}

var plainWord = regexp.MustCompile(`^[\w.,:/@%+=-]+$`)

// quoted is a word that a shell reads as s.
func quoted(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
