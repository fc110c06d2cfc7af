package tty

import (
	"bufio"
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	written "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// words paints what is said in n, each piece by itself: no colour reaches
// further than its piece.
func (p painter) words(n ast.Node, pen string) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(p.word(c, pen))
	}
	return b.String()
}

func (p painter) word(n ast.Node, pen string) string {
	switch n := n.(type) {
	case *ast.Text:
		return p.piece(n, pen)
	case *ast.CodeSpan:
		return p.marked(n, pen, "36", "`")
	case *ast.Emphasis:
		if n.Level == 1 {
			return p.marked(n, pen, "3", "")
		}
		return p.marked(n, pen, "1", "**")
	case *extension.Strikethrough:
		return p.marked(n, pen, "9", "~~")
	case *ast.Link:
		return p.link(p.words(n, pen), n.Destination, pen)
	case *ast.Image:
		return p.link("image: "+p.words(n, pen), n.Destination, pen)
	case *ast.AutoLink:
		return p.link("", n.Label(p.source), pen)
	case *ast.RawHTML:
		return p.look.paint(pen, oneLine(string(n.Segments.Value(p.source))))
	}
	return "" // the box of a task: it stands before the item
}

func (p painter) piece(n *ast.Text, pen string) string {
	s := string(n.Value(p.source))
	if !n.IsRaw() {
		s = read(s)
	}
	s = p.look.paint(pen, oneLine(s))
	if n.SoftLineBreak() || n.HardLineBreak() {
		s += "\n"
	}
	return s
}

// marked paints with one more code, or between marks where there are no colours.
func (p painter) marked(n ast.Node, pen, code, mark string) string {
	if !p.look.Colour {
		return mark + p.words(n, pen) + mark
	}
	return p.words(n, room{pen: pen}.with(code).pen)
}

// link shows where it leads: one that looks like another place deceives nobody.
func (p painter) link(words string, destination []byte, pen string) string {
	address := oneLine(string(util.URLEscape(destination, true)))
	painted := p.look.paint(room{pen: pen}.with("34").with("4").pen, address)
	if words == "" || words == p.look.paint(pen, address) {
		return painted
	}
	return words + " (" + painted + ")"
}

// read takes the marks of Markdown out of s: what is after a backslash, and
// characters written by name or number.
func read(s string) string {
	if !strings.ContainsAny(s, `&\`) {
		return s
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	written.DefaultWriter.Write(w, []byte(s)) // as HTML has it
	_ = w.Flush()                             // into memory
	return html.UnescapeString(b.String())
}

// oneLine makes harmless what was read after the whole was.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Harmless(s))
}
