package syntax_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/internal/syntax"

	"github.com/alecthomas/chroma/v2"
)

var update = flag.Bool("update", false, "take the languages anew from the chroma that go.mod names")

// What a word is told as is what it is, in the languages that are ours; what is
// no word of theirs is still there.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, code, word string
		kind                 chroma.TokenType
	}{
		{"go", "func main() {}\n", "func", chroma.KeywordDeclaration},
		{"golang", "func main() {}\n", "main", chroma.NameFunction},
		{"go", "x := 0x1F // why\n", "0x1F", chroma.LiteralNumberHex},
		{"go", "x := 0x1F // why\n", "// why", chroma.CommentSingle},
		{"go", "s := `a\nb` + \"c\\\"\"\n", "`a\nb`", chroma.LiteralString},
		{"go", "r, ok := '\\x41', 1.5e3\n", "'\\x41'", chroma.LiteralStringChar},
		{"go", "r, ok := '\\'', 1.5e3\n", "1.5e3", chroma.LiteralNumberFloat},
		{"go", "for i := range 10 { /* * */ }\n", "/* * */", chroma.CommentMultiline},
		{"md", "# Plan\n\n- **one** `x`\n", "# Plan", chroma.GenericHeading},
		{"markdown", "a\n```go\nx\n```\nb\n", "```go\nx\n```", chroma.LiteralString},
		{"py", "def f(): return 1\n", "def", chroma.Keyword},
		{"diff", "+a\n-b\n", "+a\n", chroma.GenericInserted},
		{"PY", "def f(): return 1\n", "def", chroma.Keyword},
		{"cjs", "var x = 1\n", "var", chroma.KeywordDeclaration},
		{"Dockerfile", "FROM a\n", "FROM", chroma.Keyword},
	} {
		words := budget().Words(c.language, c.code)
		if got := join(words); got != c.code {
			t.Errorf("%s: %q became %q", c.language, c.code, got)
		}
		if !slices.Contains(words, chroma.Token{Type: c.kind, Value: c.word}) {
			t.Errorf("%s: %q has no %s %q, but %v", c.language, c.code, c.kind, c.word, words)
		}
	}
	for _, unknown := range []string{"", "nonsense", "../x", "<script>", "*", "[", strings.Repeat("a", 1<<20)} {
		if words := budget().Words(unknown, "x\n"); words != nil {
			t.Errorf("the language %q is known: %v", unknown, words)
		}
	}
}

// Every language takes whatever is written, and loses nothing of it: one that
// is told in the words of another has that other beside it.
func TestEveryLanguageKeepsTheCode(t *testing.T) {
	t.Parallel()
	const code = "<a href=\"x\">{{ .B }}</a><script>f(1)</script><style>a{b:c}</style>\n" +
		"RUN [\"a\", \"b\"]\nRUN set -e\n$ ls\na: b\n\tc\nasm { mov }\n(x) => 'y' # ` é\n\"\"\"\nend\n"
	for _, path := range languages(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".xml")
		l, err := chroma.NewXMLLexer(os.DirFS("."), path)
		if err != nil {
			t.Fatal(err)
		}
		words := budget().Words(l.Config().Name, code)
		if got := join(words); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(code, "\n") {
			t.Errorf("%s: the code became %q", name, got)
		}
	}
}

// TestLanguagesAreThoseOfChroma: the files are of the version in go.mod.
func TestLanguagesAreThoseOfChroma(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	from := strings.TrimSpace(string(out))
	if err != nil || from == "" {
		t.Skipf("chroma's sources are not here: %v", err)
	}
	for _, path := range append(languages(t), "languages/COPYING") {
		base, origin := filepath.Base(path), "COPYING"
		if strings.HasSuffix(base, ".xml") {
			origin = filepath.Join("lexers", "embedded", base)
		}
		if filepath.Dir(path) != "languages" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(from, origin))
		if err != nil {
			t.Errorf("%s is not chroma's: %v", path, err)
			continue
		}
		if got, _ := os.ReadFile(path); bytes.Equal(got, want) {
			continue
		}
		if !*update {
			t.Errorf("%s is of another version of chroma: go test ./internal/syntax -update", path)
		} else if err := os.WriteFile(path, want, 0o644); err != nil { //nolint:gosec // sources
			t.Fatal(err)
		}
	}
}

func languages(t *testing.T) []string {
	t.Helper()
	own, _ := filepath.Glob("*.xml")
	theirs, _ := filepath.Glob("languages/*.xml")
	if len(own) != 2 || len(theirs) < 60 {
		t.Fatalf("%d languages of ours, %d of chroma's", len(own), len(theirs))
	}
	return append(own, theirs...)
}

func join(words []chroma.Token) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Value)
	}
	return b.String()
}

// budget is one that no machine is too slow for: its time stands still.
func budget() *syntax.Budget {
	return syntax.NewBudget(func() time.Time { return time.Time{} })
}
