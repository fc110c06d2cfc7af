package dashboard

import (
	"bytes"
	"html/template"
	"regexp"

	"blaise.dev/blaise/internal/markdown"
	"blaise.dev/blaise/internal/syntax"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownMost is the longest text rendered as markdown: a live bubble is
// rendered again with every piece that comes.
const markdownMost = 128 << 10

var pages = markdown.New(
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(coloured{}, 100), util.Prioritized(ticked{}, 100))),
	goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(extension.NewTaskCheckBoxParser(), 0))),
)

// clean lets through what markdown needs and nothing else: no pictures, which
// would tell a stranger that this page was read.
var clean = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote",
		"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z][a-z0-9]{0,2}$`)).OnElements("span") // of code
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}()

// rendered is text as markdown, made harmless; "" for one too long, which is
// then shown as it is. Its code is coloured as long as there is time for that.
func rendered(written string, colours *syntax.Budget) template.HTML {
	if len(written) > markdownMost {
		return ""
	}
	var b bytes.Buffer
	source := []byte(written)
	doc := pages.Parser().Parse(text.NewReader(source))
	doc.OwnerDocument().AddMeta(budget, colours)
	if err := pages.Renderer().Render(&b, source, doc); err != nil {
		return ""
	}
	return template.HTML(clean.SanitizeBytes(b.Bytes())) //nolint:gosec // sanitized in this line
}

// A ticked renders the boxes of a list of tasks as signs: nobody can tick them.
type ticked struct{}

var _ renderer.NodeRenderer = ticked{}

// RegisterFuncs takes the boxes, which goldmark makes fields of a form.
func (t ticked) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTaskCheckBox, t.box)
}

func (ticked) box(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	sign := "☐ "
	if n.(*extast.TaskCheckBox).IsChecked {
		sign = "☑ "
	}
	_, err := w.WriteString(sign)
	return ast.WalkContinue, err
}
