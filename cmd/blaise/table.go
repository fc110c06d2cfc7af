package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A table is rows of cells under a heading. The last column takes what width
// is left and is cut to it on a terminal.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the table; width 0 cuts nothing.
func (t *table) print(w io.Writer, width int) {
	wide := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintln(w, strings.TrimRight(line(row, wide, width), " "))
	}
}

func line(row []string, wide []int, width int) string {
	var b strings.Builder
	used := 0
	for i, c := range row {
		if i == len(row)-1 {
			if width > 0 {
				c = oneLine(c, max(width-used, 8))
			}
			b.WriteString(c)
			break
		}
		b.WriteString(c)
		b.WriteString(strings.Repeat(" ", wide[i]-utf8.RuneCountInString(c)+2))
		used += wide[i] + 2
	}
	return b.String()
}

// printJSON writes one document.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printJSONLine writes one object on a line of its own.
func printJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
