package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	mostMarks = 500 // in one block, that may begin or end a link or an emphasis
	mostLines = 500 // of a paragraph that may define what links lead to
	deepest   = 50  // blocks inside each other
)

// A patient parser reads so many marks of a block, and no more.
type patient struct{ parser.InlineParser }

var _ parser.CloseBlocker = patient{}

// marks counts those of the block that is read, for all patient parsers.
type marks struct {
	of ast.Node
	n  int
}

var marksKey = parser.NewContextKey()

// Parse leaves what is over the bound to be text.
func (p patient) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m, _ := pc.Get(marksKey).(*marks)
	if m == nil || m.of != parent {
		m = &marks{of: parent}
		pc.Set(marksKey, m)
	}
	if m.n++; m.n > mostMarks {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// CloseBlock is for the parsers that wait for the end of a block.
func (p patient) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// A shallow parser opens no block that would be too deep.
type shallow struct{ parser.BlockParser }

// Open leaves what is too deep to be text.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > deepest {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// A brief transformer looks at paragraphs of so many lines.
type brief struct{ parser.ParagraphTransformer }

// Transform leaves a longer one as it is.
func (b brief) Transform(n *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if n.Lines().Len() <= mostLines {
		b.ParagraphTransformer.Transform(n, reader, pc)
	}
}
