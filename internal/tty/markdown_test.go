package tty_test

import (
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/tty"

	"github.com/charmbracelet/x/ansi"
)

// page has every block and every mark of Markdown.
const page = `# Plan for *today*
Some **bold**, ~~gone~~ and ` + "`code`" + `, a [link](https://example.org/a "t"), <https://auto.example>.
A line of its own, &amp; a \*star\*, as written: <b>x</b>.

- one, which is long enough to go on in a second line
  1. deep
  2. deeper
- [x] done
- [ ] to do

1) first

2) second

   and more

> said by another, at some length, so that it wraps
> > nested

` + "```go" + `
func main() {
	return // as long as it takes to wrap, mid-word
}
` + "```" + `

| a | b |
|---|--:|
| a cell that is too long for one line | 12 |

---
![a cat](cat.png)

<p>
html
</p>
`

const painted = `# Plan for today

Some **bold**, ~~gone~~ and ` + "`code`" + `, a
link (https://example.org/a),
https://auto.example.
A line of its own, & a *star*, as
written: <b>x</b>.

• one, which is long enough to go on in
  a second line
  1. deep
  2. deeper
[x] done
[ ] to do

1) first

2) second

   and more

│ said by another, at some length, so
│ that it wraps
│
│ │ nested

  func main() {
      return // as long as it takes to w
  rap, mid-word
  }

 a                                 │  b
───────────────────────────────────┼────
 a cell that is too long for one   │ 12
 line                              │

────────

image: a cat (cat.png)

<p>
html
</p>`

// Every block and every mark is painted, and fits.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	got := strings.Join(tty.Look{Width: 40}.Markdown(page), "\n")
	if got != painted {
		t.Errorf("got:\n%s\nwant:\n%s", got, painted)
	}
	colours := tty.Look{Width: 40, Colour: true}.Markdown(page)
	for _, want := range []string{
		"\x1b[1;4mPlan for \x1b[0m", "\x1b[1mbold\x1b[0m", "\x1b[9mgone\x1b[0m", "\x1b[36mcode\x1b[0m",
		"\x1b[34;4mhttps://example.org/a\x1b[0m", "│ │ \x1b[2mnested\x1b[0m",
		"\x1b[35mfunc\x1b[0m", "\x1b[90m// as long as it takes to w\x1b[m\n  \x1b[90mrap, mid-word\x1b[0m",
	} {
		if !strings.Contains(strings.Join(colours, "\n"), want) {
			t.Errorf("no %q in %q", want, colours)
		}
	}
}

// A coloured block of code has the lines it was written in, and no more.
func TestCodeHasItsLines(t *testing.T) {
	t.Parallel()
	for _, colours := range []bool{false, true} {
		got := tty.Look{Width: 40, Colour: colours}.Markdown("```diff\n-old\n\n+new\n```\n")
		want := []string{"  -old", "", "  +new"}
		if colours {
			want = []string{"  \x1b[31m-old\x1b[0m", "", "  \x1b[32m+new\x1b[0m"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A line is whole by itself: what colours it ends with it.
func TestColoursEndWithTheirLine(t *testing.T) {
	t.Parallel()
	for _, line := range (tty.Look{Width: 30, Colour: true}).Markdown(page + strings.Repeat("**bold `and` *more*** ", 20)) {
		all := colour.FindAllString(line, -1)
		if n := len(all); n > 0 && all[n-1] != "\x1b[0m" && all[n-1] != "\x1b[m" {
			t.Errorf("the line goes on in colour: %q", line)
		}
	}
}

// Where there is no room to draw a table or to move a list in, the words are
// still there.
func TestMarkdownWithoutRoom(t *testing.T) {
	t.Parallel()
	look := tty.Look{Width: 20}
	got := look.Markdown("|a|b|c|d|\n|-|-|-|-|\n|the first|the second|the third|the fourth|\n")
	want := []string{"a | b | c | d", "the first | the", "second | the third |", "the fourth"}
	if !slices.Equal(got, want) {
		t.Errorf("a table became %q", got)
	}
	deep := look.Markdown(strings.Repeat(">", 40) + " words")
	if !strings.HasSuffix(deep[0], "words") || ansi.StringWidth(deep[0]) > 20 {
		t.Errorf("a deep quote became %q", deep)
	}
}
