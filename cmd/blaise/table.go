package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/transcript"

	"github.com/charmbracelet/x/ansi"
)

// A table is rows of cells under a heading. On a terminal it fits: columns that
// matter least go, then the last is cut, then the widest of the others; the first,
// by which things are named, stays whole.
type table struct {
	head  []string
	least []string                       // the columns that go first, where there is no room
	paint map[string]func(string) string // the colours of a column's cells
	rows  [][]string
}

// add adds a row; what is in its cells is made harmless.
func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = tty.OneLine(c, widest)
	}
	t.rows = append(t.rows, cells)
}

// leaveOut takes a column out.
func (t *table) leaveOut(name string) {
	col := slices.Index(t.head, name)
	t.head = slices.Delete(t.head, col, col+1)
	for i := range t.rows {
		t.rows[i] = slices.Delete(t.rows[i], col, col+1)
	}
}

const (
	widest   = 400 // of a cell
	lastLeft = 24  // what is left to the last column before another goes
	leastOne = 6   // what is left to any other
	between  = 2   // columns
)

// print writes the table; without a width it cuts nothing.
func (t *table) print(w io.Writer, look tty.Look) {
	shown, wide := t.fit(look.Width)
	for n, row := range append([][]string{t.head}, t.rows...) {
		var b strings.Builder
		for i, col := range shown {
			cell := row[col]
			if look.Width > 0 {
				cell = tty.OneLine(cell, wide[i])
			}
			pad := wide[i] - ansi.StringWidth(cell)
			switch paint := t.paint[t.head[col]]; {
			case n == 0:
				cell = look.Dim(cell)
			case paint != nil:
				cell = paint(cell)
			}
			b.WriteString(cell)
			if i < len(shown)-1 {
				b.WriteString(strings.Repeat(" ", max(pad, 0)+between))
			}
		}
		fmt.Fprintln(w, b.String())
	}
}

// fit chooses the columns that are shown, and how wide each is.
func (t *table) fit(width int) (shown, wide []int) {
	for col := range t.head {
		shown = append(shown, col)
		n := 0
		for _, row := range append([][]string{t.head}, t.rows...) {
			n = max(n, ansi.StringWidth(row[col]))
		}
		wide = append(wide, n)
	}
	if width <= 0 {
		return shown, wide
	}
	last := wide[len(wide)-1]
	wide[len(wide)-1] = min(last, lastLeft)
	for _, name := range t.least {
		i := slices.IndexFunc(shown, func(col int) bool { return t.head[col] == name })
		if total(wide) > width && i >= 0 {
			shown, wide = slices.Delete(shown, i, i+1), slices.Delete(wide, i, i+1)
		}
	}
	for total(wide) > width && len(wide) > 1 {
		most := 1
		for i, n := range wide {
			if i > 0 && n > wide[most] {
				most = i
			}
		}
		if wide[most] <= leastOne {
			break // the terminal breaks the lines
		}
		wide[most]--
	}
	wide[len(wide)-1] += min(max(width-total(wide), 0), last-wide[len(wide)-1])
	return shown, wide
}

func total(wide []int) int {
	sum := between * (len(wide) - 1)
	for _, n := range wide {
		sum += n
	}
	return sum
}

// printJSON writes one document.
func printJSON(w io.Writer, v any) error { return transcript.PrintJSON(w, v, "  ") }

// printJSONLine writes one object on a line of its own.
func printJSONLine(w io.Writer, v any) error { return transcript.PrintJSON(w, v, "") }
