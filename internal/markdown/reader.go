package markdown

import (
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// New reads Markdown with tables, struck words and bare addresses, in a time that
// grows with its length alone. Options may add to it. It is safe for concurrent
// use.
func New(options ...goldmark.Option) goldmark.Markdown {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		switch b.Value {
		case parser.NewListParser(), parser.NewBlockquoteParser():
			blocks[i].Value = shallow{b.Value.(parser.BlockParser)}
		}
	}
	words := parser.DefaultInlineParsers()
	words = append(words, util.Prioritized(extension.NewStrikethroughParser(), 500))
	for i, w := range words {
		switch w.Value {
		case parser.NewLinkParser(), parser.NewEmphasisParser(), extension.NewStrikethroughParser():
			words[i].Value = patient{w.Value.(parser.InlineParser)}
		}
	}
	definitions := util.Prioritized(brief{parser.LinkReferenceParagraphTransformer}, 100)
	p := parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(words...),
		parser.WithParagraphTransformers(definitions))
	struck := renderer.WithNodeRenderers(util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500))
	return goldmark.New(slices.Concat([]goldmark.Option{
		goldmark.WithParser(p), goldmark.WithRendererOptions(struck),
		goldmark.WithExtensions(extension.Table, extension.Linkify),
	}, options)...)
}
