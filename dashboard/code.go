package dashboard

import (
	"bytes"
	"html/template"

	"blaise.dev/blaise/internal/syntax"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// budget is under which name a text has the time that colouring it may take.
const budget = "budget"

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
	colours := n.OwnerDocument().Meta()[budget].(*syntax.Budget)
	highlight(w, colours.Words(string(b.Language(source)), text.String()), text.String())
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// highlight writes code as HTML, its words with classes that the stylesheet
// colours in light and in dark, if they are known.
func highlight(w util.BufWriter, words []chroma.Token, code string) {
	if words == nil {
		_, _ = w.WriteString(template.HTMLEscapeString(code))
	}
	for _, word := range words {
		text := template.HTMLEscapeString(word.Value)
		if class := classOf(word.Type); class != "" {
			text = `<span class="` + class + `">` + text + `</span>`
		}
		_, _ = w.WriteString(text)
	}
}

// classOf is a short name that all who colour code agree on: a kind that has
// none goes by that of the wider kind it belongs to.
func classOf(t chroma.TokenType) string {
	for t != 0 {
		if class, ok := chroma.StandardTypes[t]; ok {
			return class
		}
		t = t.Parent()
	}
	return ""
}
