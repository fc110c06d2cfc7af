package syntax_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/internal/syntax"
)

// A clock goes on a millisecond at each look.
type clock struct{ looks int }

func (c *clock) now() time.Time {
	c.looks++
	return time.UnixMilli(int64(c.looks))
}

// A piece is read for so long and then left as it is, and neither it nor what
// begins as it does is tried anew; a page has time for several such.
func TestCodeThatTakesTooLongIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	long := "// " + t.Name() + strings.Repeat("\nx := f(1, \"a\")", 200)
	c := &clock{}
	page := syntax.NewBudget(c.now)
	if words := page.Words("go", long); words != nil || c.looks > 100 {
		t.Errorf("%d words after %d looks at the clock", len(words), c.looks)
	}
	before := c.looks
	for _, again := range []string{long, long + "y", long[:len(long)/2]} {
		if words := page.Words("go", again); words != nil || c.looks != before {
			t.Errorf("it was tried anew: %d words, %d looks more", len(words), c.looks-before)
		}
	}
	if words := page.Words("go", "x := \"another\"\n"); words == nil {
		t.Error("the page had no time left for another piece")
	}
}

// What a page has no time for is read for the next: a page spends so much and no
// more, however many pieces it has.
func TestAPageSpendsSoMuch(t *testing.T) {
	t.Parallel()
	c := &clock{}
	piece := func(i int) string {
		return fmt.Sprintf("// %s %d\n%s", t.Name(), i, strings.Repeat("f(1)\n", 5))
	}
	coloured := func() (n int) {
		page := syntax.NewBudget(c.now)
		for i := range 100 {
			if page.Words("go", piece(i)) != nil {
				n++
			}
		}
		return n
	}
	first := coloured()
	if first == 0 || first == 100 || c.looks > 250 {
		t.Errorf("%d pieces of 100 in %d looks", first, c.looks)
	}
	if second := coloured(); second <= first {
		t.Errorf("%d pieces the second time, %d the first", second, first)
	}
}

// What was read is not read again, for this page or another.
func TestWordsAreKept(t *testing.T) {
	t.Parallel()
	c := &clock{}
	code := "// " + t.Name() + "\nx := 1\n"
	first := syntax.NewBudget(c.now).Words("go", code)
	before := c.looks
	second := syntax.NewBudget(c.now).Words("golang", code)
	if len(first) == 0 || join(second) != join(first) || c.looks != before {
		t.Errorf("%v, then %v after %d looks more", first, second, c.looks-before)
	}
}

// Patterns that take minutes for a few kilobytes are given up: this test would
// not end in time.
func TestNoPatternTakesMinutes(t *testing.T) {
	t.Parallel()
	for language, s := range map[string]string{"makefile": "(", "java": "\r", "systemd": "<a>", "hcl": "s/"} {
		code := strings.Repeat(s, 8000/len(s))
		began := time.Now()
		words := syntax.NewBudget(time.Now).Words(language, code)
		t.Logf("%s: %d words in %v", language, len(words), time.Since(began))
	}
}
