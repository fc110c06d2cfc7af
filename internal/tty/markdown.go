package tty

import (
	"regexp"
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
)

// longest is how much Markdown is painted at once; more of it is shown as it
// was written, so that no text can keep the terminal waiting.
const longest = 64 << 10

// Markdown paints s in lines that fit. What it cannot paint it shows as it was
// written.
func (l Look) Markdown(s string) []string {
	s = Harmless(s)
	if len(s) > longest || strings.TrimSpace(s) == "" {
		return l.Wrap(s, "", "")
	}
	r, err := glamour.NewTermRenderer(glamour.WithStyles(l.style()), glamour.WithWordWrap(l.Width),
		glamour.WithChromaFormatter("terminal16"), glamour.WithPreservedNewLines())
	if err != nil {
		return l.Wrap(s, "", "")
	}
	painted, err := r.Render(defused(s))
	if err != nil {
		return l.Wrap(s, "", "")
	}
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(onlyColours(painted), "\n"), "\n") {
		line = trimRight(line)
		if line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	sequence = regexp.MustCompile(`\x1b(\[[0-9:;]*m)?`)
	linked   = regexp.MustCompile(`\x1b\][^\x1b\x07]*(\x07|\x1b\\)`)
	trailing = regexp.MustCompile(`( |\x1b\[[0-9;]*m)+$`)
)

// onlyColours leaves no escape sequence but colours: a link that looks like
// another place than it leads to is shown with its address instead.
func onlyColours(s string) string {
	s = linked.ReplaceAllString(s, "")
	return sequence.ReplaceAllStringFunc(s, func(q string) string {
		if q == "\x1b" {
			return "\uFFFD"
		}
		return q
	})
}

// trimRight takes the spaces that fill a line up from its end.
func trimRight(line string) string {
	end := trailing.FindString(line)
	if !strings.Contains(end, " ") {
		return line
	}
	line = strings.TrimSuffix(line, end)
	if strings.Contains(line, "\x1b[") {
		line += "\x1b[0m"
	}
	return line
}

// style is how Markdown is painted: with the terminal's own colours, without a
// margin, and without any colour where none is wanted.
func (l Look) style() ansi.StyleConfig {
	var s ansi.StyleConfig
	yes, none, two := true, uint(0), uint(2)
	bar := "│ "
	s.Document.Margin = &none
	s.BlockQuote.Indent, s.BlockQuote.IndentToken = ptr(uint(1)), &bar
	s.List.LevelIndent = 2
	s.Item.BlockPrefix, s.Enumeration.BlockPrefix = "• ", ". "
	s.Task.Ticked, s.Task.Unticked = "[x] ", "[ ] "
	s.Heading.BlockSuffix = "\n"
	s.HorizontalRule.Format = "\n────────\n"
	s.ImageText.Format = "image: {{.text}}"
	s.CodeBlock.Margin = &two
	if !l.Colour {
		s.Code.Prefix, s.Code.Suffix = "`", "`"
		s.Strong.BlockPrefix, s.Strong.BlockSuffix = "**", "**"
		s.H1.Prefix, s.H2.Prefix, s.H3.Prefix = "# ", "## ", "### "
		return s
	}
	s.Heading.Bold, s.Strong.Bold, s.Emph.Italic = &yes, &yes, &yes
	s.H1.Underline, s.Strikethrough.CrossedOut, s.Link.Underline = &yes, &yes, &yes
	s.Code.Color, s.Link.Color, s.BlockQuote.Faint = ptr("6"), ptr("4"), &yes
	s.HorizontalRule.Faint = &yes
	s.CodeBlock.Chroma = codeColours()
	return s
}

// codeColours are in chroma's names for the terminal's own.
func codeColours() *ansi.Chroma {
	in := func(colour string) ansi.StylePrimitive { return ansi.StylePrimitive{Color: &colour} }
	red, green, yellow := in("#ansidarkred"), in("#ansidarkgreen"), in("#ansibrown")
	blue, purple, teal := in("#ansidarkblue"), in("#ansipurple"), in("#ansiteal")
	return &ansi.Chroma{
		Comment: in("#ansidarkgray"), Keyword: purple, KeywordReserved: purple, KeywordNamespace: purple,
		KeywordType: yellow, NameFunction: blue, NameTag: blue, LiteralNumber: yellow, LiteralString: green,
		GenericDeleted: red, GenericInserted: green, GenericSubheading: teal,
	}
}

func ptr[T any](v T) *T { return &v }
