package dashboard

import (
	"bytes"
	"html/template"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// codeMost is the longest block that is coloured: a live bubble is rendered
// again with every piece that comes.
const codeMost = 16 << 10

// colours writes classes, which the stylesheet colours in light and in dark.
var colours = html.New(html.WithClasses(true), html.PreventSurroundingPre(true))

// A coloured renders the code blocks of markdown.
type coloured struct{}

var _ renderer.NodeRenderer = coloured{}

// RegisterFuncs takes the fenced blocks from goldmark's own renderer.
func (c coloured) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.block)
}

func (coloured) block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := n.(*ast.FencedCodeBlock)
	var text bytes.Buffer
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		text.Write(line.Value(source))
	}
	_, _ = w.WriteString("<pre><code>")
	_, _ = w.WriteString(highlighted(string(b.Language(source)), text.String()))
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// highlighted is code as HTML, coloured if the language is known.
func highlighted(language, code string) string {
	lexer := lexers.Get(language)
	if lexer == nil || language == "" || len(code) > codeMost {
		return template.HTMLEscapeString(code)
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	var b bytes.Buffer
	if err == nil {
		err = colours.Format(&b, styles.Fallback, tokens)
	}
	if err != nil {
		return template.HTMLEscapeString(code)
	}
	return b.String()
}
