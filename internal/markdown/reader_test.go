package markdown_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/internal/markdown"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

func html(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	if err := markdown.New().Convert([]byte(s), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What people and agents write is read as they mean it.
func TestReads(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"**a** _b_ ~~c~~ `d`":               "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>\n",
		"[a](http://b \"c\") [d]\n\n[d]: e": "<p><a href=\"http://b\" title=\"c\">a</a> <a href=\"e\">d</a></p>\n",
		"see https://a.example":             "<p>see <a href=\"https://a.example\">https://a.example</a></p>\n",
		"> - a\n>   1. b":                   "<blockquote>\n<ul>\n<li>a\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ul>\n</blockquote>\n",
		"|a|\n|-|\n|*b*|":                   "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>b</em></td>\n</tr>\n</tbody>\n</table>\n",
	} {
		if got := html(t, s); got != want {
			t.Errorf("%q became %q, not %q", s, got, want)
		}
	}
}

// Marks without end are counted: those over the bound are text, nothing is lost,
// and the next block is read as ever. (Unbounded, a page of this takes a minute.)
func TestBoundsTheMarksOfABlock(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"*a_", "_a*", "~a*", "a** ", "[](", "![", "]["} {
		s := strings.Repeat(mark, 5000)
		got := html(t, s+"\n\n**next**")
		if !strings.HasSuffix(got, "<p><strong>next</strong></p>\n") {
			t.Errorf("after %q: %q", mark, got[len(got)-60:])
		}
		if links := strings.Count(got, "<a ") + strings.Count(got, "<em>") + strings.Count(got, "<strong>"); links > 501 {
			t.Errorf("%q: %d marks were read", mark, links)
		}
		if !strings.Contains(got, strings.Repeat(mark, 4000)) {
			t.Errorf("%q: what is over the bound is not as it was written", mark)
		}
	}
	emphases := html(t, strings.Repeat("*a* ", 5000))
	if n := strings.Count(emphases, "<em>"); n != 250 {
		t.Errorf("%d emphases were read, want 250", n)
	}
	definitions := html(t, strings.Repeat("[a]: b\n", 5000))
	if n := strings.Count(definitions, "[a]: b"); n < 4000 {
		t.Errorf("of 5000 lines in a paragraph %d are shown", n)
	}
}

// Blocks inside each other are counted as well.
func TestBoundsTheDepth(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{">", "> ", "- ", "1) ", "> - "} {
		s := strings.Repeat(mark, 5000) + "end"
		root := markdown.New().Parser().Parse(text.NewReader([]byte(s)))
		deepest, depth := 0, 0
		_ = ast.Walk(root, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				depth--
				return ast.WalkContinue, nil
			}
			depth++
			deepest = max(deepest, depth)
			return ast.WalkContinue, nil
		})
		if deepest < 20 || deepest > 60 {
			t.Errorf("%q: blocks are %d deep", mark, deepest)
		}
	}
}
