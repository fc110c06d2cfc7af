package tty

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
)

// code paints a block of it, moved in a little. It breaks lines that do not fit
// wherever they end: a space of code is no place to begin anew.
func (p painter) code(n ast.Node, language string, r room) []string {
	s := p.highlighted(language, strings.TrimRight(p.text(n), "\n"), r.pen)
	lead := "  "
	if r.width > 0 {
		s = carry(ansi.Hardwrap(s, max(r.width-len(lead), 1), true))
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(lead+line, " ")
	}
	return lines
}

func (p painter) highlighted(language, code, pen string) string {
	if !p.look.Colour {
		return p.look.paint(pen, code)
	}
	words := p.colours.Words(language, code)
	if words == nil {
		return p.look.paint(pen, code)
	}
	var b strings.Builder
	for _, w := range words {
		b.WriteString(p.look.paint(room{pen: pen}.with(colourOf(w.Type)).pen, w.Value))
	}
	return strings.TrimRight(b.String(), "\n")
}

// colourOf is one of the terminal's own sixteen.
func colourOf(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordType, chroma.LiteralStringEscape:
		return "33"
	case chroma.NameFunction, chroma.NameTag, chroma.NameBuiltin:
		return "34"
	case chroma.GenericDeleted:
		return "31"
	case chroma.GenericInserted:
		return "32"
	case chroma.GenericSubheading, chroma.GenericHeading:
		return "36"
	}
	switch {
	case t.InCategory(chroma.Comment):
		return "90"
	case t.InCategory(chroma.Keyword):
		return "35"
	case t.InSubCategory(chroma.LiteralString):
		return "32"
	case t.InSubCategory(chroma.LiteralNumber):
		return "33"
	}
	return ""
}
