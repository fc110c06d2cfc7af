package tty

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	extension "github.com/yuin/goldmark/extension/ast"
)

const (
	mostCells = 2000 // of a table that is drawn as one
	slimmest  = 6    // cells of the terminal for a column, with what is between two
)

// table draws rows and columns that fit; where they do not, each row is a line
// of its own, wrapped.
func (p painter) table(n *extension.Table, r room) []string {
	var rows [][]string
	cells := 0
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		pen := r.pen
		if row.Kind() == extension.KindTableHeader {
			pen = r.with("1").pen
		}
		var line []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			line = append(line, strings.ReplaceAll(p.words(cell, pen), "\n", " "))
		}
		cells += len(line)
		rows = append(rows, line)
	}
	if fits := r.width == 0 || len(n.Alignments)*slimmest <= r.width; fits && cells <= mostCells {
		return drawn(n, rows, r.width)
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, p.fold(strings.Join(row, " | "), r.width)...)
	}
	return lines
}

// drawn is the table, its cells wrapped where that makes it fit.
func drawn(n *extension.Table, rows [][]string, width int) []string {
	sides := map[extension.Alignment]lipgloss.Position{extension.AlignCenter: lipgloss.Center, extension.AlignRight: lipgloss.Right}
	t := table.New().Border(lipgloss.NormalBorder()).Wrap(true).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		Headers(rows[0]...).Rows(rows[1:]...).
		StyleFunc(func(_, column int) lipgloss.Style {
			return lipgloss.NewStyle().Padding(0, 1).Align(sides[n.Alignments[column]])
		})
	s := t.String()
	if width > 0 && lipgloss.Width(s) > width {
		s = t.Width(width).String()
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}
