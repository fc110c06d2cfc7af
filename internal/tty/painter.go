package tty

import (
	"fmt"
	"strings"

	"blaise.dev/blaise/internal/syntax"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	table "github.com/yuin/goldmark/extension/ast"
)

// A painter paints the blocks of one text of Markdown.
type painter struct {
	look    Look
	source  []byte
	colours *syntax.Budget
}

// A room is where a block is painted: in how many cells (0: as many as it takes),
// how many blocks stand around it, and with which pen, in codes of the terminal.
type room struct {
	width int
	depth int
	pen   string
}

const (
	deepest   = 12 // lists and quotes that are further in are not moved in further
	narrowest = 12 // cells that are always left for words
)

// with adds a code to the pen, once however often it is asked for.
func (r room) with(code string) room {
	switch {
	case r.pen == "":
		r.pen = code
	case code != "" && !strings.Contains(";"+r.pen+";", ";"+code+";"):
		r.pen += ";" + code
	}
	return r
}

// blocks paints what is in n, one below the other.
func (p painter) blocks(n ast.Node, r room) []string {
	list, ok := n.Parent().(*ast.List)
	tight := ok && list.IsTight
	var all []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := p.block(c, r)
		if len(lines) > 0 && len(all) > 0 && !tight {
			all = append(all, "")
		}
		all = append(all, lines...)
	}
	return all
}

func (p painter) block(n ast.Node, r room) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return p.heading(n, r)
	case *ast.Blockquote:
		return p.inside(n, r.with("2"), "│ ", "│ ")
	case *ast.List:
		return p.list(n, r)
	case *ast.FencedCodeBlock:
		return p.code(n, string(n.Language(p.source)), r)
	case *ast.CodeBlock:
		return p.code(n, "", r)
	case *ast.HTMLBlock:
		return p.html(n, r)
	case *ast.ThematicBreak:
		return []string{p.look.Dim("────────")}
	case *table.Table:
		return p.table(n, r)
	case *ast.Paragraph, *ast.TextBlock:
		return p.fold(p.words(n, r.pen), r.width)
	}
	return nil // a definition of a link: shown where it is used
}

func (p painter) heading(n *ast.Heading, r room) []string {
	if !p.look.Colour {
		return p.fold(strings.Repeat("#", n.Level)+" "+p.words(n, r.pen), r.width)
	}
	r = r.with("1")
	if n.Level == 1 {
		r = r.with("4")
	}
	return p.fold(p.words(n, r.pen), r.width)
}

// html is shown as it was written.
func (p painter) html(n *ast.HTMLBlock, r room) []string {
	text := p.text(n)
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(p.source))
	}
	return p.fold(p.look.paint(r.pen, strings.TrimRight(text, "\n")), r.width)
}

// inside paints what is in n behind a lead, the first line behind another,
// unless there is no room left for that.
func (p painter) inside(n ast.Node, r room, first, rest string) []string {
	cells := ansi.StringWidth(rest)
	if r.depth >= deepest || r.width > 0 && r.width-cells < narrowest {
		first, rest, cells = "", "", 0
	}
	r.depth++
	if r.width > 0 {
		r.width -= cells
	}
	lines := p.blocks(n, r)
	if lines == nil {
		lines = []string{""} // an item without words is still one
	}
	for i := range lines {
		lead := rest
		if i == 0 {
			lead = first
		}
		lines[i] = strings.TrimRight(lead+lines[i], " ")
	}
	return lines
}

func (p painter) list(n *ast.List, r room) []string {
	var all []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		} else if box := task(item); box != nil {
			mark = "[ ] "
			if box.IsChecked {
				mark = "[x] "
			}
		}
		if len(all) > 0 && !n.IsTight {
			all = append(all, "")
		}
		all = append(all, p.inside(item, r, mark, strings.Repeat(" ", ansi.StringWidth(mark)))...)
	}
	return all
}

// task is the box in front of an item, nil if it has none.
func task(item ast.Node) *table.TaskCheckBox {
	if item.FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*table.TaskCheckBox)
	return box
}

// fold makes lines of s that fit, with each line's colours in that line.
func (p painter) fold(s string, width int) []string {
	if width > 0 {
		s = carry(wrap(s, width))
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// text is a block as it was written.
func (p painter) text(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(p.source))
	}
	return strings.ReplaceAll(b.String(), "\t", "    ")
}
