package tty

import (
	"strings"
	"time"

	"blaise.dev/blaise/internal/markdown"
	"blaise.dev/blaise/internal/syntax"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// longest is how much Markdown is painted at once; more of it is shown as it
// was written, so that no text can keep the terminal waiting.
const longest = 64 << 10

var reader = markdown.New(goldmark.WithExtensions(extension.TaskList)).Parser()

// Markdown paints s in lines that fit, each of them whole wherever it is cut
// off. What it cannot paint it shows as it was written.
func (l Look) Markdown(s string) []string {
	s = Harmless(s)
	if len(s) > longest || strings.TrimSpace(s) == "" {
		return l.Wrap(s, "", "")
	}
	p := painter{look: l, source: []byte(s), colours: syntax.NewBudget(time.Now)}
	return p.blocks(reader.Parse(text.NewReader(p.source)), room{width: l.Width})
}
