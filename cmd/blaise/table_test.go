package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/tty"

	"github.com/charmbracelet/x/ansi"
)

// A table fits its terminal: columns that matter least go, the others are cut, and
// the first stays whole. In a pipe nothing is cut.
func TestTable(t *testing.T) {
	t.Parallel()
	tab := table{head: []string{"ID", "STATE", "REPO", "TITLE"}, least: []string{"REPO", "STATE"}}
	tab.add("k3v9aaaa", "idle", "payments", "a title that is longer than the terminal")
	for width, want := range map[int]string{
		0:  "ID        STATE  REPO      TITLE\nk3v9aaaa  idle   payments  a title that is longer than the terminal\n",
		60: "ID        STATE  REPO      TITLE\nk3v9aaaa  idle   payments  a title that is longer than the …\n",
		50: "ID        STATE  TITLE\nk3v9aaaa  idle   a title that is longer than the …\n",
		35: "ID        TITLE\nk3v9aaaa  a title that is longer t…\n",
		20: "ID        TITLE\nk3v9aaaa  a title t…\n",
	} {
		var b bytes.Buffer
		tab.print(&b, tty.Look{Width: width})
		if got := b.String(); got != want {
			t.Errorf("width %d: got\n%s, want\n%s", width, got, want)
		}
	}
}

// Every line fits, whatever is in the cells: wide characters, colours, escape
// sequences.
func TestTableOfHostileCells(t *testing.T) {
	t.Parallel()
	bad := func(s string) string { return "\x1b[31m" + s + "\x1b[0m" }
	tab := table{head: []string{"NAME", "STATE", "LABELS"}, paint: map[string]func(string) string{"STATE": bad}}
	tab.add("漢字漢字", "off\x1b[2Jline", strings.Repeat("👩‍👩‍👧 wide 漢字 ", 90))
	tab.add("x", strings.Repeat("y", 10<<20), "\u202e\r\n\x07")
	for _, width := range []int{0, 30, 40, 80, 200} {
		var b bytes.Buffer
		tab.print(&b, tty.Look{Width: width, Colour: true})
		lines := slices.Collect(strings.Lines(b.String()))
		if len(lines) != 3 {
			t.Errorf("width %d: %d lines: %q", width, len(lines), b.String())
		}
		for _, line := range lines {
			if got := ansi.StringWidth(line); width > 0 && got > width {
				t.Errorf("width %d: a line of %d: %q", width, got, line)
			}
		}
		if plain := strings.NewReplacer("\x1b[31m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(b.String()); strings.ContainsAny(plain, "\x1b\a\r\u202e") {
			t.Errorf("width %d: not harmless: %q", width, plain)
		}
	}
}
